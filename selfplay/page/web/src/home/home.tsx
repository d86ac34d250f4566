import type { Catalogue } from "../api/types";
import { Loading } from "../ui/notices";
import { t } from "../words";
import { Folders } from "./folders";
import { NewGameForm } from "./new_game_form";
import { UnderWay } from "./under_way";

interface Props {
  catalogue: Catalogue | null;
  /** May give a position to begin with. */
  query: URLSearchParams;
}

export function Home({ catalogue, query }: Props) {
  return (
    <main class="page home">
      {catalogue ? (
        <NewGameForm key={query.toString()} catalogue={catalogue} query={query} />
      ) : (
        <Loading what={t("the games")} />
      )}
      <div class="folders">
        <UnderWay />
        <Folders catalogue={catalogue} />
      </div>
    </main>
  );
}
