//! The options of a run, shared by the commands that play.

use std::ffi::OsString;
use std::marker::PhantomData;

use clap::parser::ValueSource;
use clap::{ArgAction, ArgMatches, Args, Command, FromArgMatches, value_parser};
use darkqi_play::generation::Job;
use darkqi_play::options::{Taker, given};

/// The options that a command takes of those that [`Job`] declares, as far as they are given.
#[derive(Clone, Debug)]
pub(super) struct RunOptions<T> {
    given: ArgMatches,
    taker: PhantomData<T>,
}

impl<T> RunOptions<T> {
    /// The job with these options. What is not given stays as it is there.
    pub(super) fn of(&self, mut job: Job) -> Result<Job, clap::Error> {
        job.update_from_arg_matches(&self.given)?;
        Ok(job)
    }
}

impl<T: Taker> Args for RunOptions<T> {
    fn augment_args(command: Command) -> Command {
        // Values are read once, as those of a job: a file may be a pipe.
        command.args(Job::taken_by::<T>().into_iter().map(|option| match option.get_action() {
            ArgAction::SetTrue => option,
            _ => option.value_parser(value_parser!(OsString)),
        }))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<T: Taker> FromArgMatches for RunOptions<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut texts = Vec::new();
        for option in Job::taken_by::<T>() {
            let (id, name) = (option.get_id().as_str(), option.get_long().unwrap_or_default());
            if matches.value_source(id) != Some(ValueSource::CommandLine) {
                continue;
            }
            for value in matches.get_raw(id).into_iter().flatten() {
                let mut text = OsString::from(format!("--{name}"));
                if !matches!(option.get_action(), ArgAction::SetTrue) {
                    text.push("=");
                    text.push(value);
                }
                texts.push(text);
            }
        }
        Ok(Self { given: given::<Job>(texts)?, taker: PhantomData })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
