import { useState } from "preact/hooks";
import { message, post } from "../api/client";
import type { Advice, Catalogue, LoggedPly } from "../api/types";
import { AgentField } from "../home/agent_field";
import { moveName, signed } from "../names";
import { Notice } from "../ui/notices";
import { filled, t } from "../words";

interface Props {
  id: string;
  game: number;
  ply: number;
  played: LoggedPly;
  catalogue: Catalogue;
}

/** The agent that was asked last, for the next position. */
let asked: string | null = null;

/** Asks an agent what it would play in this position. */
export function Ask({ id, game, ply, played, catalogue }: Props) {
  const [agent, setAgent] = useState(asked ?? catalogue.default_agent);
  const [advice, setAdvice] = useState<Advice | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const ask = async (event: Event) => {
    event.preventDefault();
    setIsBusy(true);
    setError(null);
    try {
      setAdvice(await post<Advice>("api/ask", { dataset: id, game, ply, agent }));
    } catch (reason) {
      setError(message(reason));
    }
    setIsBusy(false);
  };
  return (
    <form class="card ask" aria-label={t("Ask an agent")} onSubmit={(event) => void ask(event)}>
      <AgentField
        label={t("Ask here")}
        catalogue={catalogue}
        value={agent}
        onChange={(value) => {
          asked = value;
          setAgent(value ?? catalogue.default_agent);
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
