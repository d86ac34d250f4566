/** Why the server refuses something: forms of the English text, and the Chinese with their parts. */
export const ZH_REASONS: [RegExp, string][] = [
  [/^there is no such game;.*$/, "没有这一局；它可能属于另一个服务器，或因长期无人使用而被删除"],
  [/^turn: the game has gone on meanwhile; look again$/, "棋局在此期间有了变化，请再看一次"],
  [/^no game (\d+) in (.*): expected an id.*$/, "$2 中没有第 $1 局"],
  [/^dataset: there is no `(.*)` in the served folders$/, "所提供的文件夹中没有数据集 `$1`"],
  [/^study: there is no `(.*)` in the served folders$/, "所提供的文件夹中没有研究 `$1`"],
  [
    /^seed: expected an integer from (\S+) to (\S+), got `(.*)`$/,
    "种子应为 $1 至 $2 的整数，而不是 `$3`",
  ],
  [
    /^bad FEN, field `(\w+)`: expected (\d+) fields \((.*)\), found (\d+)$/,
    "FEN 有误，应有 $2 个字段（$3），只有 $4 个",
  ],
  [/^bad FEN, field `(\w+)`: /, "FEN 有误，字段 `$1`："],
  [
    /^option `(\S+)` of \w+: `(.*)` is not a whole number from (\d+) to (\d+)$/,
    "选项 `$1` 应为 $3 至 $4 的整数，而不是 `$2`",
  ],
];

/** What the server names or says in English, where it is one of few texts, in simplified Chinese. */
export const ZH_OF_SERVER: Record<string, string> = {
  // Games.
  banqi: "半棋",
  flipping: "双面棋",
  gaiqi: "盖棋",
  jieqi: "揭棋",
  mystery: "越南揭棋",
  seven_kingdoms: "七国象棋",
  "half-board game of ranks with all pieces and colours covered; covered pieces are safe":
    "半个棋盘，按子力大小吃子；所有棋子都盖着，颜色也不知道；暗子不能被吃",
  "xiangqi on 7 x 7 whose pieces turn into their other form each time they move":
    "7×7 棋盘上的象棋，棋子每走一步就翻成另一面",
  "half-board xiangqi with all pieces and colours covered; covered pieces can be captured":
    "半个棋盘上的象棋；所有棋子都盖着，颜色也不知道；暗子可以被吃",
  "xiangqi with the pieces covered on their home squares, turned over as they move":
    "棋子盖着摆在原位的象棋，走动时翻开",
  "Cờ Úp: covered xiangqi with perpetual chase forbidden and automatic draws":
    "越南的揭棋：禁止长捉，自动判和",
  "seven armies on a go board for two to seven players; the fallen join their conquerors":
    "围棋盘上的七国之战，二至七人；亡国之子归灭其国者所有",
  // Armies.
  red: "红",
  black: "黑",
  unknown: "不明",
  Qin: "秦",
  Chu: "楚",
  Han: "韩",
  Qi: "齐",
  Wei: "魏",
  Zhao: "赵",
  Yan: "燕",
  emperor: "天子",
  // Reasons.
  general_captured: "将帅被吃",
  own_general_captured: "将帅被己方吃掉",
  checkmate: "将死",
  stalemate: "困毙",
  no_pieces: "棋子吃光",
  kingdoms: "灭国取胜",
  captures: "吃子取胜",
  last_standing: "独存",
  no_moves: "无棋可走",
  perpetual_check: "长将",
  perpetual_chase: "长捉",
  repetition: "重复局面",
  quiet_limit: "无吃子步限",
  progress_limit: "无进展步限",
  effective_limit: "有效步限",
  moves_limit: "回合限",
  bare_kings: "只剩将帅",
  max_plies: "总步限",
  resignation: "认输",
  agreement: "双方同意",
  time: "超时",
  // Results.
  "{who} won: {why}": "{who}胜：{why}",
  "{who} lost: {why}": "{who}负：{why}",
  "draw: {why}": "和棋：{why}",
  "cut off: {why}": "中止：{why}",
  "{army} (seat {seat})": "{army}（座位 {seat}）",
  "seat {seats}": "座位 {seats}",
  "seats {seats}": "座位 {seats}",
  "{limit} {things}": "{limit} {things}",
  plies: "步",
  "plies without capture": "步没有吃子",
  "plies without capture or flip": "步没有吃子或翻子",
  "plies without progress": "步没有进展",
  "effective moves by each side": "个有效步（双方各走）",
  // Levels.
  beginner: "入门",
  easy: "初级",
  medium: "中级",
  hard: "高级",
  strong: "大师",
  // Options of games and their values.
  captured: "暗吃",
  chase: "长捉",
  ranking: "子力次序",
  cannon: "炮的吃法",
  setup: "布阵",
  loss_limit: "失子上限",
  kingdoms_to_win: "取胜灭国数",
  capture_limit: "吃子上限",
  count_annexed: "归并计入吃子",
  seats: "座位",
  teams: "队伍",
  on: "开",
  off: "关",
  true: "开",
  false: "关",
  captor: "吃子方",
  public: "公开",
  standard: "标准",
  hongkong: "香港",
  step: "走一格",
  jump: "隔子吃",
  leventhal: "利文索尔",
  elephantchess: "交换裨与行人",
  "0 to 65535": "0 至 65535",
  "1 to 65535": "1 至 65535",
  "1 to 119": "1 至 119",
  "1 to 6": "1 至 6",
  "7 characters out of 0123456-": "7 个字符，取自 0123456-",
  "0 to 7 characters out of ABCDEFG": "0 至 7 个字符，取自 ABCDEFG",
  "Plies in a row without capture or flip that make a draw; 0 turns it off.":
    "连续多少步不吃子、不翻子判和；0 为不限。",
  "Whether the third occurrence of a position makes a draw.": "同一局面第三次出现是否判和。",
  "Plies after which the game is truncated.": "到多少步时中止对局。",
  "Order of the pieces: K A E R H C P or K R H C A E P from the highest.":
    "子力从大到小：将士象车马炮卒，或将车马炮士象卒。",
  "Whether a cannon captures a neighbour by rank or anything behind one piece.":
    "炮按大小吃相邻的子，还是隔一子吃任何子。",
  "Whether perpetual check loses.": "长将是否判负。",
  "Plies in a row without capture that make a draw; 0 turns it off.":
    "连续多少步不吃子判和；0 为不限。",
  "Who is shown the identity of a piece captured face down.": "被吃的暗子，身份给谁看。",
  "Whether a perpetual chase loses.": "长捉是否判负。",
  "Whether the third occurrence of a position ends the game, perpetual check included.":
    "同一局面第三次出现是否终局，包括长将。",
  "Moves by each side without progress that make a draw; 0 turns it off.":
    "双方各走多少步没有进展判和；0 为不限。",
  "Effective moves by each side that make a draw; 0 turns it off.":
    "双方各走多少有效步判和；0 为不限。",
  "Moves by each side that make a draw; 0 turns it off.": "双方各走多少步判和；0 为不限。",
  "The array: as reconstructed by Leventhal, or with chancellor and diplomat of the two southern armies exchanged.":
    "布阵：按利文索尔的复原，或交换南方两国的裨与行人。",
  "Losses beyond which a kingdom falls.": "失子超过此数则亡国。",
  "Fallen kingdoms that win for a seat; at most its number of enemy kingdoms.":
    "灭多少国即获胜；最多为敌国的数目。",
  "Captures beyond which a seat wins.": "吃子超过此数则获胜。",
  "Whether annexed pieces count as captures.": "归并的棋子是否算作吃子。",
  "Seat of each kingdom in the order w r o b g p d; - leaves a kingdom out.":
    "各国的座位，次序为 w r o b g p d；- 表示该国不参战。",
  "Team of each seat, one letter per seat; empty without teams.":
    "各座位的队伍，每座位一个字母；不分队则留空。",
  // Options of designers, and variants.
  army: "棋子数",
  covered: "暗子",
  pool: "暗子库",
  moves: "走法",
  takes: "能吃",
  board: "棋盘",
  covered_captures: "吃暗子",
  royal: "失将即负",
  chain: "连吃",
  flips: "每步翻子数",
  usual: "照常",
  never: "不能",
  always: "能",
  attempt: "试吃",
  yes: "是",
  no: "否",
  loss: "判负",
  draw: "判和",
  "1 to 4": "1 至 4",
  "Files x ranks of the board.": "棋盘的列数 x 行数。",
  "files x ranks from 2x2 to 8x4, such as 4x2": "列数 x 行数，2x2 至 8x4，例如 4x2",
  "Number of pieces of this kind in each army, or of red/black.":
    "双方各有几个这种棋子，或写成红/黑。",
  "a number of pieces such as 2, or one of red and one of black such as 2/1":
    "棋子数，例如 2；红黑不同时例如 2/1",
  "How this kind moves and captures, in Betza's notation.":
    "这种棋子怎么走、怎么吃，用 Betza 记号。",
  "a movement in Betza's notation, such as W, nN or mRcpR": "Betza 记号的走法，例如 W、nN、mRcpR",
  "The kinds that this kind takes.": "这种棋子能吃哪些棋子。",
  "The kinds on whose home squares pieces begin covered.": "哪些棋子的原始位置上摆暗子。",
  "letters of AEHRCP such as AEHRC, - for none": "AEHRCP 中的字母，例如 AEHRC；- 为没有暗子",
  "Number of pieces of this kind that each side's covered pieces are dealt from, or of red/black.":
    "双方的暗子库里各有几个这种棋子，或写成红/黑。",
  "a number of pieces from 0 to 15 such as 2, one of red and one of black such as 2/1, or usual":
    "棋子数 0 至 15，例如 2；红黑不同时例如 2/1；usual 为照常",
  "a movement in Betza's notation such as W, nN, fW or mRcpR, at most two squares along a diagonal; xiangqi or usual":
    "Betza 记号的走法，例如 W、nN、fW、mRcpR，斜线最多两格；`xiangqi` 为象棋走法，usual 为照常",
  "Whether covered pieces are captured.": "能不能吃暗子。",
  "The result for a seat that can do nothing and is not in check.":
    "没有被将军而无子可走的一方结果如何。",
  "letters of kinds such as KAE, - for none, or usual":
    "棋子字母，例如 KAE；- 为都不能吃；usual 为照常",
  "Whether covered pieces are captured; an attempt turns the piece over, and fails if it is none that the captor takes.":
    "能不能吃暗子；试吃先翻开，翻出的不是能吃的就不吃。",
  "Whether the loss of a general loses the game.": "失将是否判负。",
  "The result for a seat that can do nothing.": "无子可动的一方结果如何。",
  "Whether a piece that has captured may capture on in the same turn.":
    "吃子后能不能在同一步里接着吃。",
  "Pieces that a seat may turn over in one turn.": "一步可以翻几个暗子。",
  "dark capture": "试吃暗子",
  taiwan: "台湾暗棋",
  blitz: "快棋",
  "open-soldiers": "明兵",
  "dark-capture": "暗吃",
  "open soldiers": "明兵",
  reserves: "后备",
  xiangqi: "象棋",
  "Xiangqi: all pieces begin face up, advisors stay in the palace and elephants on their side of the river.":
    "象棋：全部是明子，士不出九宫，象不过河。",
  "The soldiers begin face up. Only the ten pieces behind them are covered and shuffled.":
    "兵是明子，只有其余十个棋子洗乱后扣放。",
  "Three horses, chariots and cannons to each side's pool: three pieces of each side stay out of the game, and nobody knows which.":
    "双方的暗子库里马、车、炮各三个：每方有三个棋子不参加这一局，谁也不知道是哪三个。",
  "Taiwan's dark chess: the cannon captures any piece, by a jump alone.":
    "台湾暗棋：炮隔子吃任何棋子，也只能这样吃。",
  "Hong Kong's ranks: chariot and horse stand above cannon, advisor and elephant.":
    "香港次序：车马大于炮士象。",
  "Risky captures: a piece may attack a covered one. It is turned over, and taken if the attacker takes such pieces.":
    "冒险吃暗子：可以去吃暗子，先翻开，能吃就吃掉。",
  "Captures in a chain: a piece that has captured may go on capturing in the same turn.":
    "连吃：吃子后同一步可以接着吃。",
  "A quick game on half of the half board, with seven pieces a side and horses that nothing blocks.":
    "四分之一棋盘上的快棋，每方七子，马不蹩腿。",
  // Agents and their options.
  "The net that comes with the program, for games of two, as `onnx` plays one from a file.":
    "程序自带的神经网络，用于双人棋种。",
  "0 plays the most probable action, with search the most visited one; above 0 it samples by probabilities or visits to the power of 1/temperature. With root=gumbel it scales the noise.":
    "0 走概率最大的一步，带搜索时走访问最多的一步；大于 0 时按概率或访问数的 1/temperature 次方抽样。root=gumbel 时它缩放噪声。",
  "Simulations of a search for a decision; 0 for the policy alone.":
    "每步搜索的模拟次数；0 为只用策略。",
  "How a search selects at its root: `puct`, or `gumbel` for Gumbel-Top-k and sequential halving, which improve the policy by few simulations.":
    "根节点的选择方法：`puct`，或 `gumbel`（Gumbel-Top-k 与逐次减半，用少量模拟改进策略）。",
  "Actions that root=gumbel begins with.": "root=gumbel 开始时考虑的走法数。",
  "Weight of values against the policy with root=gumbel.": "root=gumbel 时评估相对于策略的权重。",
  "Exploration constant of PUCT: weight of the policy against values.":
    "PUCT 的探索常数：策略相对于评估的权重。",
  "Rows that are computed together, and games in flight per thread.":
    "一起计算的行数，也是每个线程同时进行的对局数。",
  "`cpu`, or `cuda` with a library of ONNX Runtime that has it (untested).":
    "`cpu`，或 `cuda`（需要支持它的 ONNX Runtime 库，未测试）。",
  "Probability of a uniformly random action instead of the agent's, from 0 to 1.":
    "以多大概率改走均匀随机的一步，从 0 到 1。",
  "Alpha-beta search with exact odds at reveals, to a depth or another limit, then quiescence search by captures.":
    "Alpha-beta 搜索，翻子处按精确概率，到一定深度或其他限制为止，再作吃子的静态搜索。",
  "Layers: a ply is one, a reveal on the way another. 1 to 64.":
    "层数：一步为一层，途中翻子另算一层。1 至 64。",
  "Positions searched for a decision, and at most as many more for the value of a reveal.":
    "每步搜索的局面数；为翻子的评估最多再搜索同样多。",
  "Milliseconds for a decision. Games are then not reproducible.":
    "每步的毫秒数。这样的对局不能重现。",
  "Size of the transposition table in MiB, 1 to 65536.": "置换表的大小（MiB），1 至 65536。",
  "Threads that search one decision, 1 to 256; more than 1 with time= alone.":
    "搜索一步的线程数，1 至 256；只有 time= 才能多于 1。",
  "Captures the most valuable piece within one ply, covered pieces by their odds; ties at random.":
    "在一步之内吃价值最高的子，暗子按概率计算；相等时随机。",
  "Information-set Monte-Carlo tree search: simulations in worlds that fit what the player knows, leaves by quiescence search; every seat maximises its own result.":
    "信息集蒙特卡洛树搜索：在符合已知信息的局面中模拟，叶节点用静态搜索；各座位都求自己的最好结果。",
  "Simulations for a decision.": "每步的模拟次数。",
  "Exploration constant of PUCT: weight of priors against values.":
    "PUCT 的探索常数：先验相对于评估的权重。",
  "Plays uniformly random legal actions.": "均匀随机地走合法的一步。",
  "no limit": "不限",
  "2, or 64 with another limit": "2；有其他限制时为 64",
  "sims/4, from 2 to 16": "sims/4，从 2 到 16",
  // Verdicts on rules.
  "fair within {margin}: the score is {score}": "在 {margin} 之内公平：得分为 {score}",
  "not fair: the score is {score}, and {even} would be even":
    "不公平：得分为 {score}，而 {even} 才是均势",
  "not decided: the score is {score}": "尚无定论：得分为 {score}",
  "not decided: the score is {score}; about {more} more games decide it if it stays there":
    "尚无定论：得分为 {score}；若保持不变，约再下 {more} 局可见分晓",
  "only {won} % of these games have a winner ({most} % end by {reason}), and draws are even under any rules; ask a stronger agent":
    "这些对局中只有 {won} % 分出胜负（{most} % 因{reason}结束），而和棋在任何规则下都是均势；请换更强的棋手",
  "the games of no agent have decided it": "没有哪个棋手的对局能作出定论",
  "all agents agree: fair": "各级棋手一致：公平",
  "all agents agree: not fair": "各级棋手一致：不公平",
  "fair by {who}; not decided by {others}": "据{who}为公平；据{others}尚无定论",
  "not fair by {who}; not decided by {others}": "据{who}为不公平；据{others}尚无定论",
  "the agents disagree: fair by {who}, not fair by {others}; the answer depends on who plays":
    "结论不一：据{who}为公平，据{others}为不公平；答案取决于谁来下",
};
