import type { Disc, Picture } from "../api/types";
import { pieceName } from "../names";
import { useSettings } from "../settings";
import { counted, said, t } from "../words";
import { Chip } from "./disc";

interface Lost {
  army: number | null;
  discs: Disc[];
}

/** Captured pieces by army; those of which no army is known come last. */
export function lostPieces(picture: Picture, captured = picture.captured): Lost[] {
  if (!captured) return [];
  const armies = [...picture.armies.keys(), null];
  return armies
    .map((army) => ({ army, discs: captured.filter((disc) => disc.army === army) }))
    .filter(({ army, discs }) => army !== null || discs.length > 0);
}

function explained(disc: Disc, picture: Picture): string {
  const name = pieceName({ ...disc, covered: false }, picture.armies);
  if (disc.letter === null)
    return t("{piece}, taken covered: you do not know which", { piece: name });
  return disc.covered ? t("{piece}, taken covered", { piece: name }) : name;
}

/** A tray with the captured pieces of one army. */
export function Captured({ picture, lost }: { picture: Picture; lost: Lost }) {
  const { signs } = useSettings();
  const army = said(lost.army === null ? "unknown" : picture.armies[lost.army]!.name);
  const label = counted(
    lost.discs.length,
    "{count} {army} piece captured",
    "{count} {army} pieces captured",
    { army },
  );
  return (
    <div class="tray" role="group" aria-label={label} title={label}>
      <span class="quiet" aria-hidden="true">
        ×
      </span>
      {lost.discs.map((disc, index) => (
        <Chip
          key={index}
          disc={disc}
          armies={picture.armies}
          signs={signs}
          label={explained(disc, picture)}
        />
      ))}
      {lost.discs.length === 0 && (
        <span class="quiet">{t("no {army} piece captured", { army })}</span>
      )}
    </div>
  );
}
