//! FEN of half-board games: `board mover colours captured quiet ply`, and `chase` where the
//! three-check rule holds, `turn` where turns can have more than one action.

use super::state::{CheckStreak, PublicState, Rest, SQUARES, SquareContents, State, View};
use super::{HalfBoard, SIZE, Variant};
use crate::board::{Bitboard, Colour, Square};
use crate::error::FenError;
use crate::game::fen::{counter, deal_unknown, fields, read_board, read_symbols, write_board};
use crate::game::{Notation, Observe, RecordedHistory};
use crate::rng::Rng;

impl<V: Variant> Notation for HalfBoard<V> {
    fn fen(&self, state: &State) -> String {
        write(self, &state.public, |square| format!("~{}", state.identity(square).letter()))
    }

    fn view_fen(&self, view: &View<'_>) -> String {
        write(self, view.public, |_| "?".to_owned())
    }

    fn history(&self, state: &State) -> Option<RecordedHistory> {
        self.repetition.then(|| state.public.history.record())
    }

    fn restore_history(&self, state: &mut State, recorded: &RecordedHistory) -> bool {
        self.repetition && state.public.history.restore(recorded, 2)
    }

    fn parse_fen(&self, fen: &str) -> Result<State, FenError> {
        parse(self, fen)
    }

    fn parse_view_fen(&self, fen: &str, rng: &mut Rng) -> Result<State, FenError> {
        self.parse_fen(&deal_unknown(fen, &[3], self.pieces(), self.pieces(), rng)?)
    }
}

fn write<V: Variant>(
    rules: &HalfBoard<V>,
    public: &PublicState,
    covered: impl Fn(Square) -> String,
) -> String {
    let size = rules.board_size();
    let board = write_board(size, |square| {
        let square = square.renumbered(size, SIZE)?;
        match public.at(square) {
            SquareContents::Empty => None,
            SquareContents::Covered => Some(covered(square)),
            SquareContents::Revealed(piece) => Some(piece.letter().to_string()),
        }
    });
    let mover = public.mover + 1;
    let colours = match public.first_colour {
        None => '-',
        Some(Colour::Red) => 'r',
        Some(Colour::Black) => 'b',
    };
    let mut captured: String = public.captured.iter().map(|piece| piece.letter()).collect();
    if captured.is_empty() {
        captured.push('-');
    }
    let (quiet, ply) = (public.quiet, public.ply);
    let mut fen = format!("{board} {mover} {colours} {captured} {quiet} {ply}");
    if V::THREE_CHECKS {
        fen.push(' ');
        fen += &write_check_streaks(public.check_streaks);
    }
    if rules.has_long_turns() {
        fen.push(' ');
        fen += &match public.rest {
            None => "-".to_owned(),
            Some(Rest::Captures(square)) => SIZE.name(square),
            Some(Rest::Flips(left)) => left.to_string(),
        };
    }
    fen
}

/// The rest of a turn that has begun.
fn parse_rest<V: Variant>(
    rules: &HalfBoard<V>,
    public: &PublicState,
    field: &str,
) -> Result<Option<Rest>, String> {
    let own = public.colour(public.mover);
    if field == "-" {
        return Ok(None);
    }
    if rules.decided_by_capture(public).is_some() {
        return Err("expected `-`, as the game is over".to_owned());
    }
    if let Ok(left) = counter("turn", field) {
        let left = u8::try_from(left).ok().filter(|left| (1..rules.flips()).contains(left));
        let left = left.filter(|_| own.is_some() && !public.covered().is_empty());
        let fault = "expected fewer flips than a turn has, and covered pieces";
        return left.map(|left| Some(Rest::Flips(left))).ok_or_else(|| fault.to_owned());
    }
    let is_own = |square| match public.at(square) {
        SquareContents::Revealed(piece) => own == Some(piece.colour),
        SquareContents::Empty | SquareContents::Covered => false,
    };
    let captor = SIZE.parse(field);
    let captor = captor.filter(|&square| is_own(square) && rules.may_capture_on(public, square));
    let captor = captor.map(|square| Some(Rest::Captures(square)));
    captor.ok_or_else(|| {
        format!(
            "`{field}` is not `-`, a number of flips, or the square of a piece that may capture on"
        )
    })
}

fn write_check_streaks(check_streaks: [Option<CheckStreak>; 2]) -> String {
    if check_streaks == [None, None] {
        "-".to_owned()
    } else {
        check_streaks.map(write_check_streak).join(",")
    }
}

fn write_check_streak(streak: Option<CheckStreak>) -> String {
    streak
        .map_or("-".to_owned(), |streak| format!("{}x{}", SIZE.name(streak.square), streak.checks))
}

fn parse<V: Variant>(rules: &HalfBoard<V>, fen: &str) -> Result<State, FenError> {
    let names @ [a, b, c, d, e, f, chase, turn] =
        ["board", "mover", "colours", "captured", "quiet", "ply", "chase", "turn"];
    let (fields, chase, rest) = match (V::THREE_CHECKS, rules.has_long_turns()) {
        (true, true) => {
            let [fields @ .., chase, turn] = fields(fen, names)?;
            (fields, chase, turn)
        }
        (true, false) => {
            let [fields @ .., chase] = fields(fen, [a, b, c, d, e, f, chase])?;
            (fields, chase, "-")
        }
        (false, true) => {
            let [fields @ .., turn] = fields(fen, [a, b, c, d, e, f, turn])?;
            (fields, "-", turn)
        }
        (false, false) => (fields(fen, [a, b, c, d, e, f])?, "-", "-"),
    };
    let [board, mover, colours, captured, quiet, ply] = fields;
    let mut public = PublicState::empty();
    let mut identities = [None; SQUARES];
    // Board and captured pieces together do not exceed the starting count of any kind.
    let mut unplaced = rules.pieces();
    let size = rules.board_size();
    read_board(size, board, |square, symbol| {
        let square = square.renumbered(size, SIZE).expect("no board is larger");
        let piece = unplaced.take(symbol.letter)?;
        if symbol.covered {
            identities[square.index()] = Some(piece);
            public.board.put(square, SquareContents::Covered);
        } else {
            public.board.put(square, SquareContents::Revealed(piece));
        }
        Ok(())
    })?;
    for symbol in read_symbols("captured", captured)? {
        if symbol.covered {
            return Err(FenError::new("captured", "captures are public here: no `~`"));
        }
        let piece =
            unplaced.take(symbol.letter).map_err(|fault| FenError::new("captured", fault))?;
        public.record_capture(piece);
    }
    match mover {
        "1" => {}
        "2" => public.pass_turn(),
        _ => return Err(FenError::new("mover", format!("`{mover}` is not `1` or `2`"))),
    }
    match colours {
        "r" => public.assign_colours(Colour::Red),
        "b" => public.assign_colours(Colour::Black),
        "-" => {}
        _ => return Err(FenError::new("colours", format!("`{colours}` is not `r`, `b` or `-`"))),
    }
    let shown = public.occupied() != public.covered() || !public.captured.is_empty();
    if shown != public.first_colour.is_some() {
        let fault =
            "`-` is required while nothing is revealed or captured, and forbidden afterwards";
        return Err(FenError::new("colours", fault));
    }
    public.quiet = counter("quiet", quiet)?;
    public.ply = counter("ply", ply)?;
    if chase != "-" && !rules.has_three_checks() {
        return Err(FenError::new("chase", "expected `-`: no general is royal"));
    }
    public.check_streaks =
        parse_check_streaks(&public, chase).map_err(|fault| FenError::new("chase", fault))?;
    let rest = parse_rest(rules, &public, rest).map_err(|fault| FenError::new("turn", fault))?;
    if rest.is_some() {
        public.set_rest(rest);
    }
    public.restart_history();
    Ok(State::with_identities(public, identities))
}

fn parse_check_streaks(
    public: &PublicState,
    field: &str,
) -> Result<[Option<CheckStreak>; 2], String> {
    if field == "-" {
        return Ok([None; 2]);
    }
    let (first, second) =
        field.split_once(',').ok_or("expected `-` or two states joined by `,`")?;
    let mut check_streaks = [None; 2];
    for (seat, text) in [first, second].into_iter().enumerate() {
        if text == "-" {
            continue;
        }
        let streak = SIZE
            .parse_prefix(text)
            .and_then(|(square, rest)| match rest {
                "x1" => Some(CheckStreak { square, checks: 1 }),
                "x2" => Some(CheckStreak { square, checks: 2 }),
                "x3" => Some(CheckStreak { square, checks: 3 }),
                _ => None,
            })
            .ok_or_else(|| format!("`{text}` is not `-` or a square and count such as `c3x2`"))?;
        match public.at(streak.square) {
            SquareContents::Revealed(piece) if public.owner(piece.colour) == Some(seat) => {}
            _ => return Err(format!("`{text}`: no revealed piece of seat {seat} there")),
        }
        check_streaks[seat] = Some(streak);
    }
    if check_streaks == [None; 2] {
        return Err("two states without a chase are written `-`".to_owned());
    }
    Ok(check_streaks)
}
