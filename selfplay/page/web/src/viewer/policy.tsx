import type { LoggedPly } from "../api/types";
import { moveName, percent } from "../names";
import { Bar } from "../ui/notices";
import { t } from "../words";

/** The likeliest actions of the next ply by the agent's policy. */
export function Policy({
  policy,
  played,
}: {
  policy: NonNullable<LoggedPly["policy"]>;
  played: LoggedPly;
}) {
  return (
    <section class="card" aria-labelledby="policy-title">
      <h2 id="policy-title">{t("Policy for the next ply")}</h2>
      <ul class="shares">
        {policy.map(({ probability, ...likely }) => (
          <li key={likely.action} class={likely.action === played.action ? "played" : ""}>
            <span>
              {moveName(likely)}
              {likely.action === played.action && <small> {t("played")}</small>}
            </span>
            <Bar share={probability} />
            <span class="figure">{percent(probability)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
