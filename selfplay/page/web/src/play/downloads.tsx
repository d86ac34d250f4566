import { address } from "../api/client";
import { t } from "../words";

interface Props {
  /** The kinds of files that the server can make. */
  files: string[];
  path: string;
  query: Record<string, string | number>;
  /** The position of pictures. */
  ply: number;
}

const PICTURES = ["png", "svg"];

/** Links that keep a game, or one position of it, as a file. */
export function Downloads({ files, path, query, ply }: Props) {
  const names: Record<string, string> = {
    txt: t("moves as text"),
    gif: t("animation (GIF)"),
    png: t("this position (PNG)"),
    svg: t("this position (SVG)"),
  };
  const wanted = (kind: string) =>
    address(path, { ...query, kind, ply: PICTURES.includes(kind) ? ply : null });
  if (files.length === 0) return null;
  return (
    <p class="downloads">
      <span class="quiet">{t("Download:")}</span>
      {files.map((kind) => (
        <a key={kind} href={wanted(kind)} download>
          {names[kind] ?? kind}
        </a>
      ))}
    </p>
  );
}
