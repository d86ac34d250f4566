//! The state of seven kingdoms: armies, captures and conquests.

use arrayvec::ArrayVec;

use super::geometry::{Points, SIZE};
use super::kingdom::{Kingdom, Kingdoms};
use super::piece::{Kind, Piece};
use super::rules::SevenKingdoms;
use crate::board::{Bitboard, Square};
use crate::game::{PositionHistory, Reason};
use crate::rng::random_key;

/// A conquest: a kingdom falls to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Conquest {
    /// The kingdom that is out.
    pub fallen: Kingdom,
    /// The kingdom that conquered it and took over its army.
    pub conqueror: Kingdom,
}

/// A victory and its reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Victory {
    /// Why: kingdoms, captures or last_standing.
    pub reason: Reason,
    /// The team that has won.
    pub team: u8,
}

/// The full state. Nothing in it is hidden.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    /// The kind of the piece on each point. The emperor is not listed.
    kinds: [Option<Kind>; SIZE.squares()],
    armies: [Points; Kingdom::COUNT],
    go_betweens: Points,
    mover: Kingdom,
    /// The kingdoms that are present and have not fallen.
    in_play: Kingdoms,
    /// In the order in which the kingdoms fell.
    conquests: ArrayVec<Conquest, { Kingdom::COUNT - 1 }>,
    /// Number of captures, by captor, then by owner at the time of capture.
    captures: [[u16; Kingdom::COUNT]; Kingdom::COUNT],
    /// Plies since the last capture.
    pub(super) quiet: u16,
    pub(super) ply: u16,
    /// The victory, if any. Only captures bring it about, so it is updated after captures.
    victory: Option<Victory>,
    /// Zobrist hash of the board.
    key: u64,
    pub(super) history: PositionHistory,
}

impl State {
    /// A board without armies before the first ply.
    pub(super) fn empty(present: Kingdoms) -> Self {
        Self {
            kinds: [None; SIZE.squares()],
            armies: [Points::EMPTY; Kingdom::COUNT],
            go_betweens: Points::EMPTY,
            mover: Kingdom::Yan,
            in_play: present,
            conquests: ArrayVec::new(),
            captures: [[0; Kingdom::COUNT]; Kingdom::COUNT],
            quiet: 0,
            ply: 0,
            victory: None,
            key: 0,
            history: PositionHistory::new(0),
        }
    }

    /// The start of a game.
    pub(super) fn deal(rules: &SevenKingdoms) -> Self {
        let present = rules.seating.present();
        let mut state = Self::empty(present);
        for kingdom in present.iter() {
            for (square, kind) in rules.setup.army(kingdom) {
                state.put(square, Piece { kingdom, kind });
            }
        }
        state.mover = state.next_mover();
        state.restart_history();
        state
    }

    /// The kingdom whose turn it is.
    #[inline]
    pub(super) fn mover(&self) -> Kingdom {
        self.mover
    }

    /// Sets the kingdom to move, which must be in play.
    pub(super) fn set_mover(&mut self, mover: Kingdom) {
        self.mover = mover;
    }

    /// The kingdoms that have not fallen.
    #[inline]
    pub(super) fn in_play(&self) -> Kingdoms {
        self.in_play
    }

    /// The conquests in order.
    #[inline]
    pub(super) fn conquests(&self) -> &[Conquest] {
        &self.conquests
    }

    /// The points of a kingdom's pieces.
    #[inline]
    pub(super) fn army(&self, kingdom: Kingdom) -> Points {
        self.armies[kingdom.index()]
    }

    /// The points of all go-betweens.
    #[inline]
    pub(super) fn go_betweens(&self) -> Points {
        self.go_betweens
    }

    /// The kind of the piece on an occupied point.
    #[inline]
    pub(super) fn kind(&self, square: Square) -> Kind {
        self.kinds[square.index()].expect("a piece stands here")
    }

    /// The piece on a point; `None` for an empty point and for the emperor.
    pub(super) fn at(&self, square: Square) -> Option<Piece> {
        let kind = self.kinds[square.index()]?;
        let kingdom = Kingdom::ALL.into_iter().find(|&kingdom| self.army(kingdom).contains(square));
        kingdom.map(|kingdom| Piece { kingdom, kind })
    }

    /// Whether a piece stands on a point.
    #[inline]
    pub(super) fn is_occupied(&self, square: Square) -> bool {
        self.kinds[square.index()].is_some()
    }

    /// Number of pieces of `victim` that a kingdom has captured.
    #[inline]
    pub(super) fn captures(&self, captor: Kingdom, victim: Kingdom) -> u16 {
        self.captures[captor.index()][victim.index()]
    }

    /// Adds captures.
    pub(super) fn add_captures(&mut self, captor: Kingdom, victim: Kingdom, pieces: u16) {
        let count = &mut self.captures[captor.index()][victim.index()];
        *count = count.saturating_add(pieces);
    }

    /// Number of pieces that a kingdom has captured.
    #[inline]
    pub(super) fn taken_by(&self, captor: Kingdom) -> u32 {
        self.captures[captor.index()].iter().map(|&count| u32::from(count)).sum()
    }

    /// Number of pieces that a kingdom has lost.
    #[inline]
    pub(super) fn lost_by(&self, victim: Kingdom) -> u32 {
        self.captures.iter().map(|counts| u32::from(counts[victim.index()])).sum()
    }

    /// The victory, if any.
    #[inline]
    pub(super) fn victory(&self) -> Option<Victory> {
        self.victory
    }

    /// Sets the victory.
    pub(super) fn set_victory(&mut self, victory: Option<Victory>) {
        self.victory = victory;
    }

    /// Puts a piece on an empty point.
    #[inline]
    pub(super) fn put(&mut self, square: Square, piece: Piece) {
        debug_assert_eq!(self.kinds[square.index()], None);
        self.kinds[square.index()] = Some(piece.kind);
        self.armies[piece.kingdom.index()] |= Points::single(square);
        if piece.kind == Kind::GoBetween {
            self.go_betweens |= Points::single(square);
        }
        self.key ^= piece_key(square, piece);
    }

    /// Removes a piece.
    #[inline]
    fn lift(&mut self, square: Square, piece: Piece) {
        self.kinds[square.index()] = None;
        self.armies[piece.kingdom.index()] ^= Points::single(square);
        if piece.kind == Kind::GoBetween {
            self.go_betweens ^= Points::single(square);
        }
        self.key ^= piece_key(square, piece);
    }

    /// Moves a piece of the mover and captures what stands on its target.
    #[inline]
    pub(super) fn step(&mut self, from: Square, to: Square, rules: &SevenKingdoms) {
        let piece = Piece { kingdom: self.mover, kind: self.kind(from) };
        self.lift(from, piece);
        let Some(captured) = self.at(to) else {
            self.put(to, piece);
            return self.end_quiet_ply(rules);
        };
        self.lift(to, captured);
        self.put(to, piece);
        self.add_captures(self.mover, captured.kingdom, 1);
        if let Some(conqueror) = self.conqueror(captured, rules.loss_limit) {
            self.annex(Conquest { fallen: captured.kingdom, conqueror }, rules.count_annexed);
        }
        self.ply += 1;
        self.quiet = 0;
        self.mover = self.next_mover();
        self.restart_history();
        self.judge(rules);
    }

    /// Ends a ply without capture: a step onto an empty point, or a pass.
    #[inline]
    pub(super) fn end_quiet_ply(&mut self, rules: &SevenKingdoms) {
        self.ply += 1;
        self.quiet = self.quiet.saturating_add(1);
        self.mover = self.next_mover();
        if rules.repetition {
            self.history.push((), self.position_key(), self.in_play.count());
        }
    }

    /// The conqueror if the capture of `captured` by the mover makes its owner fall: RULES.md
    /// section 6, 9.19.
    fn conqueror(&self, captured: Piece, loss_limit: u16) -> Option<Kingdom> {
        if captured.kind == Kind::General {
            return Some(self.mover);
        }
        if self.lost_by(captured.kingdom) <= loss_limit.into() {
            return None;
        }
        // Of equals the one that moved last wins, the mover first.
        let moved_lately = std::iter::once(self.mover).chain(self.mover.backwards());
        let candidates = moved_lately.filter(|&kingdom| self.in_play.contains(kingdom));
        candidates.reduce(|best, next| {
            let captures = |captor| self.captures(captor, captured.kingdom);
            if captures(next) > captures(best) { next } else { best }
        })
    }

    /// Takes a kingdom out of play and gives its army to the conqueror.
    fn annex(&mut self, conquest: Conquest, count_annexed: bool) {
        let Conquest { fallen, conqueror } = conquest;
        let annexed = self.army(fallen);
        for square in annexed.ascending() {
            let piece = Piece { kingdom: fallen, kind: self.kind(square) };
            self.lift(square, piece);
            let kind = if piece.kind == Kind::General { Kind::Marshal } else { piece.kind };
            self.put(square, Piece { kingdom: conqueror, kind });
        }
        if count_annexed {
            self.add_captures(conqueror, fallen, annexed.count() as u16);
        }
        self.record_conquest(conquest);
    }

    /// Records a conquest.
    pub(super) fn record_conquest(&mut self, conquest: Conquest) {
        self.in_play.remove(conquest.fallen);
        self.conquests.push(conquest);
    }

    /// The first kingdom in play after the mover.
    #[inline]
    fn next_mover(&self) -> Kingdom {
        let mut after = self.mover.later(1).from_here();
        after.find(|&kingdom| self.in_play.contains(kingdom)).expect("some kingdom is in play")
    }

    /// Zobrist hash of what can recur: the board and the kingdom to move.
    fn position_key(&self) -> u64 {
        self.key ^ key(SIZE.squares() * Kingdom::COUNT * Kind::COUNT + self.mover.index())
    }

    /// A hash of the board, the kingdom to move and the captures. The captures determine which
    /// kingdoms have fallen.
    pub(super) fn fingerprint(&self) -> u64 {
        let captures = self.captures.iter().flatten();
        let position = self.position_key() ^ self.history.recurrence_key();
        captures.fold(position, |hash, &count| {
            (hash.rotate_left(5) ^ u64::from(count)).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        })
    }

    /// Starts the history anew: this position is its first occurrence.
    pub(super) fn restart_history(&mut self) {
        self.history.restart(self.position_key());
    }
}

/// The Zobrist key of a piece on a point. It is computed: a table would not fit in the cache.
#[inline]
fn piece_key(square: Square, Piece { kingdom, kind }: Piece) -> u64 {
    key((square.index() * Kingdom::COUNT + kingdom.index()) * Kind::COUNT + kind.index())
}

/// A fixed random key for each number.
#[inline]
const fn key(number: usize) -> u64 {
    random_key(7, number as u64 + 1)
}
