import { useState } from "preact/hooks";
import { post } from "../api/client";
import type { Advice, Catalogue, GameSpec, LoggedPly, OptionValues } from "../api/types";
import { AgentField } from "../home/agent_field";
import { offered, useSeating } from "../home/use_seating";
import { moveName, signed } from "../names";
import { useSending } from "../ui/fields";
import { Notice } from "../ui/notices";
import { filled, t } from "../words";

interface Props {
  id: string;
  spec: GameSpec;
  options: OptionValues;
  game: number;
  ply: number;
  played: LoggedPly;
  catalogue: Catalogue;
}

/** The agent that was asked last, for the next position. */
let asked: string | null = null;

/** Asks an agent what it would play in this position. */
export function Ask({ id, spec, options, game, ply, played, catalogue }: Props) {
  const [agent, setAgent] = useState(asked ?? catalogue.adviser);
  const known = useSeating(spec.name, options);
  const [advice, setAdvice] = useState<Advice | null>(null);
  const { submit, isBusy, error } = useSending(async () =>
    setAdvice(await post<Advice>("api/ask", { dataset: id, game, ply, agent })),
  );
  return (
    <form class="card ask" aria-label={t("Ask an agent")} onSubmit={submit}>
      <AgentField
        label={t("Ask here")}
        catalogue={offered(catalogue, spec.name, known)}
        game={spec}
        value={agent}
        onChange={(value) => {
          asked = value;
          setAgent(value ?? catalogue.adviser);
        }}
      />
      <button disabled={isBusy}>{isBusy ? t("Thinking …") : t("Ask")}</button>
      {error && <Notice kind="error">{error}</Notice>}
      {advice && (
        <p role="status">
          {filled("would play {move}", { move: <strong>{moveName(advice)}</strong> })}
          {advice.value !== null && ` · ${t("value {value}", { value: signed(advice.value) })}`}
          {` · ${advice.action === played.action ? t("as was played") : t("played was {move}", { move: moveName(played) })}`}
        </p>
      )}
    </form>
  );
}
