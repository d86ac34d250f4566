import type { Catalogue } from "../api/types";
import { Loading } from "../ui/notices";
import { t } from "../words";
import { Folders } from "./folders";
import { NewGameForm } from "./new_game_form";
import { UnderWay } from "./under_way";

export function Home({ catalogue }: { catalogue: Catalogue | null }) {
  return (
    <main class="page home">
      {catalogue ? <NewGameForm catalogue={catalogue} /> : <Loading what={t("the games")} />}
      <div class="folders">
        <UnderWay />
        <Folders catalogue={catalogue} />
      </div>
    </main>
  );
}
