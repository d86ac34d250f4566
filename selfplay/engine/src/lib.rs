//! What decides in a game: agents, searches, evaluations, nets and endgame tables.
//!
//! The source is laid out in rooms; each uses only those above it:
//!
//! | room | what lives there |
//! | --- | --- |
//! | [`agent`] | what an agent is: it answers requests with decisions |
//! | `per_game` | values with one for each registered game |
//! | [`tables`] | endgame tables: what is solved |
//! | [`small_boards`] | banqi on boards so small that it can be solved |
//! | [`evaluation`] | what a position and its pieces are worth, without search |
//! | [`nets`] | nets from files |
//! | [`search`] | game-tree searches |
//! | [`engines`] | programs that speak UCI |
//! | [`agents`] | the registry of agents, agents as text |
//! | [`judge`] | what positions are worth, for those who do not know their game's type |

pub mod agent;
pub mod agents;
pub mod engines;
pub mod evaluation;
pub mod judge;
pub mod nets;
mod per_game;
pub mod search;
pub mod small_boards;
pub mod tables;
