//! A page in the browser: games to play, datasets to look through. It is served on this machine.
//!
//! The page holds no rule and no truth: it draws what it is given and sends what is chosen. What a
//! browser is given of a game under way is made for its key, from the views of the seats of that key.
//!
//! - `guard`: which requests are answered;
//! - `answer`: answers and refusals as JSON;
//! - `work`: what costs more, and how much of it is done;
//! - `page`: the files of the page;
//! - `board`: boards and moves as JSON;
//! - `hosting`: games under way;
//! - `library`: what lies in the served folders;
//! - `app`: what all requests share;
//! - `routes`: the requests that are answered;
//! - `server`: the life of the server.

mod answer;
mod app;
mod board;
mod error;
mod guard;
mod hosting;
mod library;
mod page;
mod routes;
mod server;
mod work;

pub(crate) use app::Settings;
pub(crate) use server::serve;
