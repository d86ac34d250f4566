import { useState } from "preact/hooks";
import { address } from "../api/client";
import type { Catalogue, Folders as FoldersData } from "../api/types";
import { useLoaded } from "../api/use_loaded";
import { Loading, Notice } from "../ui/notices";
import { t } from "../words";
import { Datasets, LIMIT, type Search } from "./datasets";
import { Trainings } from "./trainings";

/** Pauses between looks at the folders, in milliseconds: while a run goes on, and else. */
const LIVE = 2000;
const IDLE = 5000;

function pause(folders: FoldersData | null): number {
  const isLive = folders?.datasets.some(({ is_running }) => is_running);
  return isLive || folders?.trainings.length ? LIVE : IDLE;
}

/** The datasets and trainings of the folders that the server was given, followed as they grow. */
export function Folders({ catalogue }: { catalogue: Catalogue | null }) {
  const [search, setSearch] = useState<Search>({ words: "", game: "", offset: 0 });
  const { value, error } = useLoaded<FoldersData>(
    address("api/datasets", { ...search, limit: LIMIT }),
    pause,
  );
  return (
    <div class="folders">
      {error && <Notice kind="error">{error}</Notice>}
      {!value && !error && <Loading what={t("the datasets")} />}
      {value && (
        <Datasets folders={value} catalogue={catalogue} search={search} onSearch={setSearch} />
      )}
      {value && value.trainings.length > 0 && <Trainings trainings={value.trainings} />}
    </div>
  );
}
