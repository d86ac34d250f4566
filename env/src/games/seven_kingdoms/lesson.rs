//! How seven kingdoms is played, and why a piece does not go where a person wants it to.

use super::geometry::{CENTRE, Points, SIZE};
use super::kingdom::Kingdom;
use super::moves::MoveContext;
use super::piece::{Kind, Piece};
use super::rules::SevenKingdoms;
use super::state::State;
use crate::board::{Bitboard, Square};
use crate::game::{Example, Lesson, PieceLesson, Topic, Words, board_of, ends, objections, words};

/// The names of the pieces by their letters.
pub(super) const NAMES: &[(char, Words)] = &[
    ('Q', Words::new("General", "将")),
    ('M', Words::new("Marshal", "帅")),
    ('R', Words::new("Chancellor", "偏")),
    ('B', Words::new("Diplomat", "裨")),
    ('C', Words::new("Cannon", "炮")),
    ('G', Words::new("Go-between", "行人")),
    ('H', Words::new("Archer", "弓")),
    ('W', Words::new("Crossbowman", "弩")),
    ('A', Words::new("Dagger soldier", "刀")),
    ('S', Words::new("Swordsman", "剑")),
    ('N', Words::new("Knight", "骑")),
    ('*', Words::new("Emperor", "周王")),
];

/// How the pieces move, and enemy swordsmen around the one on g7.
const PIECES: [(Kind, Words, &str); Kind::COUNT] = [
    (
        Kind::General,
        Words::new(
            "Any number of empty points in any of the eight directions. If it is taken, the kingdom falls.",
            "横、竖、斜走任意格，路上不能有子。被吃则国亡。",
        ),
        "g11 k7",
    ),
    (
        Kind::Marshal,
        Words::new(
            "A general of a fallen kingdom under its new owner. It moves like a general, but may be lost.",
            "亡国的将归新主后成为帅。走法与将相同，被吃不亡国。",
        ),
        "g11 k7",
    ),
    (
        Kind::Chancellor,
        Words::new("Any number of empty points straight.", "直线走任意格，路上不能有子。"),
        "g11 k7",
    ),
    (
        Kind::Diplomat,
        Words::new("Any number of empty points diagonally.", "斜走任意格，路上不能有子。"),
        "d10 j4",
    ),
    (
        Kind::Cannon,
        Words::new(
            "Moves like a chancellor. To take, it jumps over exactly one piece and lands on the next one in the \
             line.",
            "走法与偏相同。吃子时必须正好跳过一个棋子，吃它后面的那个。",
        ),
        "g11 g14",
    ),
    (
        Kind::GoBetween,
        Words::new(
            "Moves like a general. It never takes and is never taken: it blocks lines and serves a cannon as the \
             piece to jump over.",
            "走法与将相同，但不能吃子，也不会被吃。可以挡路，也可以给炮当炮架。",
        ),
        "g11 k7",
    ),
    (
        Kind::Archer,
        Words::new(
            "Up to four empty points in any of the eight directions.",
            "横、竖、斜走一至四格，路上不能有子。",
        ),
        "g10 k7",
    ),
    (
        Kind::Crossbowman,
        Words::new(
            "Up to five empty points in any of the eight directions.",
            "横、竖、斜走一至五格，路上不能有子。",
        ),
        "g11 k7",
    ),
    (Kind::DaggerSoldier, Words::new("One point diagonally.", "斜走一格。"), "h8"),
    (Kind::Swordsman, Words::new("One point straight.", "直走一格。"), "g8"),
    (
        Kind::Knight,
        Words::new(
            "One point straight, then one, two or three points diagonally outward. All points that it passes must \
             be empty, the first one, too.",
            "先直走一格，再向外斜走一至三格。经过的点（包括第一格）都必须是空的。",
        ),
        "g8 k8",
    ),
];

/// What kingdoms are called, by the colour of their pieces.
fn name(kingdom: Kingdom) -> Words {
    match kingdom {
        Kingdom::Qin => Words::new("Qin (white)", "秦（白）"),
        Kingdom::Chu => Words::new("Chu (red)", "楚（红）"),
        Kingdom::Han => Words::new("Han (orange)", "韩（橙）"),
        Kingdom::Qi => Words::new("Qi (blue)", "齐（蓝）"),
        Kingdom::Wei => Words::new("Wei (green)", "魏（绿）"),
        Kingdom::Zhao => Words::new("Zhao (purple)", "赵（紫）"),
        Kingdom::Yan => Words::new("Yan (black)", "燕（黑）"),
    }
}

impl SevenKingdoms {
    /// The kingdom that begins, and the first that is its enemy.
    fn first_two(&self) -> (Kingdom, Kingdom) {
        let mut present = self.seating.present().iter();
        let own = present.next().expect("there are two seats or more");
        let is_enemy = |kingdom: &Kingdom| !self.seating.allies(own).contains(*kingdom);
        (own, present.find(is_enemy).expect("there are two teams or more"))
    }

    /// A position with these pieces, and the generals of other kingdoms where they begin.
    fn position(&self, pieces: &str, has_general: &[Kingdom]) -> String {
        let others = self.seating.present().iter().filter(|kingdom| !has_general.contains(kingdom));
        let general = |kingdom: Kingdom| {
            let mut army = self.setup.army(kingdom);
            let (home, _) = army.find(|(_, kind)| *kind == Kind::General).expect("each has one");
            format!("{}Q{}", kingdom.letter(), SIZE.name(home))
        };
        let generals: Vec<String> = others.map(general).collect();
        let board =
            board_of(SIZE, &format!("*{} {pieces} {}", SIZE.name(CENTRE), generals.join(" ")));
        let (own, _) = self.first_two();
        format!("{} {} - - 0 0", board.trim(), own.letter())
    }

    fn piece(&self, kind: Kind, moves: Words, around: &str) -> PieceLesson {
        let (own, enemy) = self.first_two();
        let piece = Piece { kingdom: own, kind };
        let enemies: Vec<String> =
            around.split(' ').map(|square| format!("{}S{square}", enemy.letter())).collect();
        let has_general = if kind == Kind::General { &[own][..] } else { &[] };
        let pieces = format!("{}g7 {}", piece.name(), enemies.join(" "));
        let characters = match kind {
            Kind::General => {
                let general = |kingdom| Piece { kingdom, kind }.character();
                self.seating.present().iter().map(general).collect()
            }
            _ => piece.character().to_string(),
        };
        PieceLesson {
            letter: piece.letter(),
            characters,
            moves,
            becomes: None,
            example: Some(Example {
                fen: self.position(&pieces, has_general),
                square: square("g7"),
                to: None,
            }),
        }
    }

    /// A kingdom that falls because its general is taken.
    fn fall(&self) -> Example {
        let (own, enemy) = self.first_two();
        let [own_letter, letter] = [own, enemy].map(Kingdom::letter);
        let pieces = format!(
            "{own_letter}Rf6 {letter}Qf10 {letter}Se10 {letter}Sg10 {letter}Se9 {letter}Cf12 {letter}Ng12"
        );
        Example {
            fen: self.position(&pieces, &[enemy]),
            square: square("f6"),
            to: Some(square("f10")),
        }
    }

    fn topics(&self) -> Vec<Topic> {
        let Self { loss_limit, count_annexed, .. } = *self;
        let mut topics = vec![
            Topic {
                title: Words::new("The fall of a kingdom", "国亡"),
                text: words!(
                    "A kingdom falls when its general is taken, or when it has lost more than {loss_limit} \
                     pieces. All pieces that it still has join the kingdom that took the general, where they \
                     stand. If it fell by its losses, they join the kingdom that has taken the most of them. \
                     They fight for their new owner from then on, and their losses are the new owner's losses. \
                     A fallen kingdom has no more turns.",
                    "将被吃，或者损失超过{loss_limit}个棋子，国就亡了。剩下的棋子留在原处，归吃掉将的国所有；\
                     如果是因损失过多而亡，就归吃掉它棋子最多的国。这些棋子从此为新主作战，再被吃算新主的损失。亡国不再走棋。"
                ),
                example: Some(self.fall()),
            },
            Topic::new(
                Words::new("The emperor", "周王"),
                Words::new(
                    "The yellow piece in the centre belongs to nobody. It never moves and cannot be taken. It \
                     blocks the way, and a cannon may jump over it.",
                    "中央的黄子不属于任何一方，不能走，也不能吃。它会挡路，也可以当炮架。",
                ),
            ),
            Topic::new(
                Words::new("No check", "没有将军"),
                Words::new(
                    "Nobody has to answer an attack on a general. You may leave it where it can be taken, and \
                     nobody warns you.",
                    "没有必须应将的规定，将可以停在会被吃掉的地方，也没有人提醒。",
                ),
            ),
        ];
        let counted = if count_annexed {
            Words::new(
                "Pieces that are taken over count as captures, too.",
                "接收的棋子也算作吃子。",
            )
        } else {
            Words::new(
                "Pieces that are taken over do not count as captures.",
                "接收的棋子不算吃子。",
            )
        };
        topics.push(Topic::new(Words::new("What counts", "怎样计数"), counted));
        let players = self.seating.players();
        if self.seating.present().count() > players {
            topics.push(Topic::new(
                Words::new("Several kingdoms to a player", "一人多国"),
                Words::new(
                    "A player with several kingdoms moves each in its turn. They do not take one another's \
                     pieces, and what they take counts together. The player is out when all of them have fallen.",
                    "一人掌管多国时，各国按次序走棋，互相不能吃子，吃子合并计算。全部亡国才算出局。",
                ),
            ));
        }
        let teams = self.seating.teams();
        let are_paired = (0..players).any(|seat| teams[..seat].contains(&teams[seat]));
        if are_paired {
            topics.push(Topic::new(
                Words::new("Teams", "结盟"),
                Words::new(
                    "Members of a team do not take one another's pieces. A victory of one is a victory of all, \
                     but captures count for each player alone.",
                    "同盟之间不能互吃。一人获胜即全队获胜，但吃子各算各的。",
                ),
            ));
        }
        topics
    }

    fn ends(&self) -> Vec<Words> {
        let capture_limit = self.capture_limit;
        let needed = (0..self.seating.players()).map(|seat| self.kingdoms_needed(seat));
        let needed = needed.max().unwrap_or(self.kingdoms_to_win);
        let kingdoms = if needed == 1 {
            Words::new(
                "The first player who brings down a kingdom wins.",
                "最先灭掉一国的一方获胜。",
            )
        } else {
            words!(
                "The first player who brings down {needed} kingdoms wins.",
                "最先灭掉{needed}国的一方获胜。"
            )
        };
        let mut ends = vec![
            kingdoms,
            words!(
                "The first player who has taken more than {capture_limit} pieces wins, too.",
                "最先吃掉超过{capture_limit}个棋子的一方也获胜。"
            ),
            Words::new(
                "The last player whose kingdom stands wins in any case.",
                "只剩一方未亡国时，这一方获胜。",
            ),
            Words::new(
                "A kingdom that cannot move passes. Draw: no kingdom can move.",
                "无子可走的国停一着。各国都无子可走则和棋。",
            ),
        ];
        ends.extend(ends::quiet(self.quiet_limit, "without anything taken", "没有吃子"));
        ends.extend(self.repetition.then(|| {
            Words::new(
                "Draw: the same position comes up for the third time.",
                "和棋：同一局面第三次出现。",
            )
        }));
        ends.push(ends::too_long(self.max_plies));
        ends
    }

    /// The lesson of seven kingdoms.
    pub(super) fn taught(&self) -> Lesson {
        let present: Vec<Kingdom> = self.seating.present().iter().collect();
        let order =
            Words::listed(&present.iter().map(|&kingdom| name(kingdom)).collect::<Vec<_>>());
        let (capture_limit, players) = (self.capture_limit, self.seating.players());
        let needed = (0..players).map(|seat| self.kingdoms_needed(seat)).max().unwrap_or(1);
        let mut pieces: Vec<PieceLesson> =
            PIECES.map(|(kind, moves, around)| self.piece(kind, moves, around)).to_vec();
        pieces.push(PieceLesson {
            letter: '*',
            characters: "周".to_owned(),
            moves: Words::new(
                "It stands in the centre, belongs to nobody, never moves and cannot be taken.",
                "位于中央，不属于任何一方，不能走，也不能吃。",
            ),
            becomes: None,
            example: None,
        });
        Lesson {
            goal: words!(
                "Bring down kingdoms: the first player with {needed} of them wins, or with more than \
                 {capture_limit} pieces taken.",
                "灭国：最先灭{needed}国，或者吃掉超过{capture_limit}个棋子的一方获胜。"
            ),
            turn: vec![
                words!(
                    "Armies stand around the edge of a board of 19 × 19 points, each with 17 pieces. They move \
                     in this order: {}.",
                    "各国军队沿19×19的棋盘四周布阵，每国17个棋子，按以下次序走棋：{}。",
                    order
                ),
                Words::new(
                    "In your turn you move one piece of the kingdom that is to move. You take an enemy piece by \
                     moving onto its point. Nothing is hidden.",
                    "每步走当前国的一个棋子，走到敌方棋子的位置就吃掉它。没有暗子。",
                ),
            ],
            first: None,
            pieces,
            covered: None,
            captures: None,
            topics: self.topics(),
            ends: self.ends(),
            section: 6,
        }
    }

    /// Why the mover's piece on `from` does not go to `to`.
    pub(super) fn hindrance(
        &self,
        state: &State,
        from: Square,
        to: Option<Square>,
    ) -> Option<Words> {
        if state.at(from).is_some_and(|piece| piece.kingdom != state.mover()) {
            return Some(words!("It is the turn of {}.", "现在轮到{}走。", name(state.mover())));
        }
        let (to, kind) = (to?, state.kind(from));
        if to == CENTRE {
            return Some(Words::new("The emperor cannot be taken.", "周王不能吃。"));
        }
        let victim = state.at(to);
        if victim.is_some_and(|victim| victim.kind == Kind::GoBetween) {
            return Some(Words::new("A go-between cannot be taken.", "行人不能吃。"));
        }
        if victim.is_some() && kind == Kind::GoBetween {
            return Some(Words::new("A go-between never takes.", "行人不能吃子。"));
        }
        let on = if victim.is_some() { Points::single(to) } else { Points::EMPTY };
        let alone = MoveContext { occupied: on, capturable: on };
        if alone.targets(kind, from).contains(to) {
            return Some(objections::BLOCKED);
        }
        let is_line = SIZE.file(from) == SIZE.file(to) || SIZE.rank(from) == SIZE.rank(to);
        (victim.is_some() && kind == Kind::Cannon && is_line).then_some(objections::NEEDS_SCREEN)
    }
}

fn square(name: &str) -> Square {
    SIZE.parse(name).expect("it is on the board")
}
