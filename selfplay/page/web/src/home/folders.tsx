import type { Catalogue, Folders as FoldersData } from "../api/types";
import { useLoaded } from "../api/use_loaded";
import { Loading, Notice } from "../ui/notices";
import { t } from "../words";
import { Datasets } from "./datasets";
import { Trainings } from "./trainings";

/** Pauses between looks at the folders, in milliseconds: while a run goes on, and else. */
const LIVE = 2000;
const IDLE = 5000;

function pause(folders: FoldersData | null): number {
  const isLive = folders?.datasets.some(({ progress }) => progress !== null && progress < 1);
  return isLive || folders?.trainings.length ? LIVE : IDLE;
}

/** The datasets and trainings of the folders that the server was given, followed as they grow. */
export function Folders({ catalogue }: { catalogue: Catalogue | null }) {
  const { value, error } = useLoaded<FoldersData>("api/datasets", pause);
  return (
    <div class="folders">
      {error && <Notice kind="error">{error}</Notice>}
      {!value && !error && <Loading what={t("the datasets")} />}
      {value && <Datasets datasets={value.datasets} catalogue={catalogue} />}
      {value && value.trainings.length > 0 && <Trainings trainings={value.trainings} />}
    </div>
  );
}
