import type { Army, Disc, Setup } from "../api/types";
import { Chip } from "../board/disc";
import { pieceName } from "../names";
import { useSettings } from "../settings";
import { t } from "../words";

/** What a click on the board does: puts this piece there, or takes away what is there. */
export type Tool = string | null;

interface Entry {
  /** As the FEN writes it. */
  name: string;
  disc: Disc;
}

/** The disc of a piece as the FEN writes it; null if the game has none of this name. */
export function discOf({ pieces, unknown }: Setup, written: string): Disc | null {
  const covered = written.startsWith("~");
  const name = covered ? written.slice(1) : written;
  const piece = pieces.find((piece) => piece.name === name);
  if (piece) {
    return { army: piece.army, letter: piece.letter, character: piece.character, covered };
  }
  const back = unknown.find((back) => back.name === written);
  return back ? { army: back.army, letter: null, character: null, covered: true } : null;
}

interface Props {
  setup: Setup;
  /** Whether pieces are put down covered. */
  isCovered: boolean;
  tool: Tool;
  onChange: (tool: Tool) => void;
}

/** The pieces to put on the board, one row an army. */
export function Palette({ setup, isCovered, tool, onChange }: Props) {
  const { armies } = setup.picture;
  const entry = (name: string): Entry => ({ name, disc: discOf(setup, name)! });
  const rows = [...armies.keys()].map((army) => {
    const own = setup.pieces.filter((piece) => piece.army === army);
    return own.map(({ name }) => entry(isCovered ? `~${name}` : name));
  });
  const backs = setup.unknown.map(({ name }) => entry(name));
  return (
    <div class="palette" role="group" aria-label={t("Pieces to put on the board")}>
      <Row entries={backs} armies={armies} tool={tool} onChange={onChange} />
      {rows.map((entries, army) => (
        <Row key={army} entries={entries} armies={armies} tool={tool} onChange={onChange} />
      ))}
      <button type="button" aria-pressed={tool === null} onClick={() => onChange(null)}>
        {t("Remove pieces")}
      </button>
    </div>
  );
}

interface RowProps {
  entries: Entry[];
  armies: Army[];
  tool: Tool;
  onChange: (tool: Tool) => void;
}

function Row({ entries, armies, tool, onChange }: RowProps) {
  const { signs } = useSettings();
  if (entries.length === 0) return null;
  return (
    <div class="row">
      {entries.map(({ name, disc }) => (
        <button
          key={name}
          type="button"
          class="piece"
          aria-pressed={tool === name}
          aria-label={explained(disc, armies)}
          title={explained(disc, armies)}
          onClick={() => onChange(name)}
        >
          <Chip disc={disc} armies={armies} signs={signs} />
        </button>
      ))}
    </div>
  );
}

function explained(disc: Disc, armies: Army[]): string {
  const name = pieceName(disc, armies);
  return disc.letter === null ? t("{piece}, dealt afresh", { piece: name }) : name;
}
