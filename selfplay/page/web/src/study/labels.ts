/** Sets of rules, times and quantities as people read them. */

import type { Estimate, Quantity, StudyQuestion } from "../api/types";
import { plain } from "../names";
import { listed, number, said, t } from "../words";

/** The option that stands for whole rules. */
export const RULES = "rules";

/** A set such as "cannon=jump, rules=taiwan". */
export function setName(label: string): string {
  const parts = label.split(", ").map((part) => {
    const at = part.indexOf("=");
    const [option, value] = [part.slice(0, at), part.slice(at + 1)];
    const name = said(plain(value));
    return option === RULES ? name : `${plain(option)} ${name}`;
  });
  return listed(parts);
}

/** What a study compares. */
export function comparedText({ compare }: StudyQuestion): string {
  const texts = compare.map(({ option, values }) => {
    const all = listed(values.map((value) => said(plain(value))));
    return option === RULES ? all : `${plain(option)}: ${all}`;
  });
  return listed(texts);
}

export function duration(seconds: number): string {
  if (seconds < 60) return t("{count} s", { count: number(Math.round(seconds)) });
  const minutes = seconds / 60;
  if (minutes < 90) return t("{count} min", { count: number(Math.round(minutes)) });
  return t("{count} h", { count: number(minutes / 60, { maximumFractionDigits: 1 }) });
}

export function quantityName(quantity: Quantity): string {
  const names = {
    score: t("score of who begins"),
    decisive: t("games with a winner"),
    plies: t("length in plies"),
    branching: t("choices a turn"),
    lead_changes: t("changes of the lead"),
  };
  return names[quantity];
}

/** A figure as text, with its interval if asked for. */
export function figure(
  quantity: Quantity,
  estimate: Estimate | null,
  form: "value" | "interval" | "difference",
): string {
  if (estimate?.value == null) return "–";
  const isShare = quantity === "decisive";
  const digits = quantity === "score" ? 3 : isShare || quantity === "plies" ? 0 : 1;
  const written = (value: number) => {
    const text = number(isShare ? 100 * value : value, {
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
      signDisplay: form === "difference" ? "exceptZero" : "auto",
    });
    return isShare ? `${text} %` : text;
  };
  const value = written(estimate.value);
  if (form === "value") return value;
  return t("{value} ({low} to {high})", {
    value,
    low: estimate.low === null ? "-∞" : written(estimate.low),
    high: estimate.high === null ? "∞" : written(estimate.high),
  });
}
