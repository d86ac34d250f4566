import type { WorthOf } from "../api/types";
import { agentName, capital } from "../names";
import { listed, said, t, told } from "../words";
import { figure, setName } from "./labels";

interface Props {
  /** The agent whose games tell it. */
  agent: string;
  worth: WorthOf[];
}

/** What each piece is worth, and whether the armies are equal. */
export function WorthView({ agent, worth }: Props) {
  const known = worth.filter((of) => of.worth !== null);
  const kinds = [...new Set(known.flatMap(({ worth }) => worth!.values.map(([kind]) => kind)))];
  return (
    <section class="card" aria-labelledby="worth-title">
      <h2 id="worth-title">
        {t("What is each piece worth?")}{" "}
        <small class="quiet">{t("in the games of {agent}", { agent: agentName(agent) })}</small>
      </h2>
      {known.length > 0 && (
        <div class="scroll" tabIndex={0} role="region" aria-label={t("Values of the pieces")}>
          <table class="figures-table">
            <thead>
              <tr>
                <th scope="col">{t("Rules")}</th>
                {kinds.map((kind) => (
                  <th key={kind} scope="col" class="figure">
                    {known.map(({ worth }) => nameOf(worth!, kind))[0]} ({kind})
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {known.map(({ label, worth }) => (
                <tr key={label}>
                  <th scope="row">{setName(label)}</th>
                  {kinds.map((kind) => {
                    const value = worth!.values.find(([one]) => one === kind)?.[1] ?? null;
                    return (
                      <td key={kind} class="figure" title={figure("score", value, "interval")}>
                        {figure("branching", value, "interval")}
                      </td>
                    );
                  })}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {worth.map(({ label, worth: found, why }) => (
        <p key={label}>
          <strong>{setName(label)}</strong>
          {t(":")} {found ? balanceText(found) : why}
        </p>
      ))}
    </section>
  );
}

type Worth = NonNullable<WorthOf["worth"]>;

function nameOf({ names }: Worth, kind: string): string {
  const name = names[kind];
  return name ? told(name) : kind;
}

/** Whether the armies are equal. */
function balanceText(worth: Worth): string {
  const { unit, balance } = worth;
  const of = listed(unit.map((kind) => nameOf(worth, kind)));
  if (balance === null) {
    return t("The armies are equal. Values are in units of: {unit}.", { unit: of });
  }
  const [{ value, low, high }, [first, second]] = balance;
  const names = { first: capital(said(first)), second: capital(said(second)), unit: of };
  if (value === null || low === null || high === null || (low <= 0 && high >= 0)) {
    return t("Neither army is shown to be worth more. Values are in units of: {unit}.", names);
  }
  const sign = value < 0 ? -1 : 1;
  const ends = [sign * low, sign * high].sort((one, other) => one - other);
  const more = figure(
    "branching",
    { value: sign * value, low: ends[0]!, high: ends[1]! },
    "interval",
  );
  return value < 0
    ? t("{first} is worth {more} times a {unit} more than {second}.", { ...names, more })
    : t("{second} is worth {more} times a {unit} more than {first}.", { ...names, more });
}
