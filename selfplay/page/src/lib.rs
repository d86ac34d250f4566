//! A page in the browser: games to play, datasets to look through. It is served on this machine.
//!
//! The page holds no rule and no truth: it draws what it is given and sends what is chosen. What a
//! browser is given of a game under way is made for its key, from the views of the seats of that key.
//!
//! - `guard`: which requests are answered;
//! - `answer`: answers and refusals as JSON;
//! - `work`: what is computed for requests, how much of it, and for how long;
//! - `memory`: how much an agent may take;
//! - `log`: what is told to nobody but the person who runs the server;
//! - `page`: the files of the page;
//! - `board`: boards and moves as JSON;
//! - `hosting`: games under way;
//! - `finished`: what can be made of games that are over;
//! - `library`: what lies in the served folders;
//! - `studies`: questions about rules, and what games have shown;
//! - `app`: what all requests share;
//! - `routes`: the requests that are answered;
//! - `stream`: connections whose clients have to read;
//! - `server`: the life of the server.

mod answer;
mod app;
mod board;
mod error;
mod finished;
mod guard;
mod hosting;
mod library;
mod log;
mod memory;
mod page;
mod routes;
mod server;
mod stream;
mod studies;
mod work;

pub use app::{KeptGames, Settings};
pub use error::ServeError;
pub use guard::name_of;
pub use server::serve;
