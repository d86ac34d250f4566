import { useState } from "preact/hooks";
import type { GameSpec, OptionSpec, OptionValues, StudyQuestion } from "../api/types";
import { Design } from "../home/design";
import { text } from "../home/option_fields";
import { useSeating } from "../home/use_seating";
import { plain } from "../names";
import { Choice, Switch } from "../ui/controls";
import { Field, TextField } from "../ui/fields";
import { Notice } from "../ui/notices";
import { said, t } from "../words";
import { RULES } from "./labels";

/** What is compared: an option with its values, or whole rules. */
export interface Compare {
  option: string;
  values: string[];
  /** Rules of one's own by name. */
  own: StudyQuestion["own_rules"];
  /** Rules that are being made, and are not taken yet. */
  draft: Draft | null;
}

interface Draft {
  /** The name that it began with: that of the rules that it is to replace, if there are such. */
  before: string;
  name: string;
  options: OptionValues;
}

const USUAL = "usual";

export function isOpen({ draft }: Compare): boolean {
  return draft !== null;
}

/** What is compared in a game to begin with. */
export function firstOf(game: GameSpec): Compare {
  const none = { own: {}, draft: null };
  if (game.variants.length > 0) return { option: RULES, values: firstRules(game), ...none };
  const option = game.options[0]!;
  return { option: option.name, values: suggested(option), ...none };
}

function firstRules({ variants }: GameSpec): string[] {
  return [USUAL, ...variants.map(({ name }) => name)].slice(0, 2);
}

/** The values of an option that are compared to begin with: of a number also the half. */
function suggested(option: OptionSpec): string[] {
  const all = valuesOf(option);
  if (all) return all;
  const usual = option.default;
  return typeof usual === "number" && usual > 1
    ? [String(usual), String(Math.floor(usual / 2))]
    : [text(usual)];
}

function valuesOf({ type, choices }: OptionSpec): string[] | null {
  return choices?.map(String) ?? (type === "bool" ? ["off", "on"] : null);
}

interface Props {
  game: GameSpec;
  value: Compare;
  onChange: (value: Compare) => void;
}

/** Chooses what is compared. */
export function CompareField({ game, value, onChange }: Props) {
  const all = [...game.options, ...game.design];
  const option = all.find(({ name }) => name === value.option);
  const choose = (name: string) => {
    const chosen = all.find((one) => one.name === name);
    const values = chosen ? suggested(chosen) : firstRules(game);
    onChange({ ...value, option: name, values, draft: null });
  };
  return (
    <fieldset>
      <legend>{t("What is compared")}</legend>
      <Choice
        label={t("What is compared")}
        value={option ? "option" : RULES}
        choices={[
          [RULES, t("whole rules")],
          ["option", t("one rule")],
        ]}
        onChange={(kind) => choose(kind === RULES ? RULES : all[0]!.name)}
      />
      {option ? (
        <>
          <Field label={t("Rule")} note={said(option.about)}>
            <select value={option.name} onChange={(event) => choose(event.currentTarget.value)}>
              {all.map(({ name }) => (
                <option key={name} value={name}>
                  {plain(name)}
                </option>
              ))}
            </select>
          </Field>
          <Values
            key={option.name}
            option={option}
            values={value.values}
            onChange={(values) => onChange({ ...value, values })}
          />
        </>
      ) : (
        <WholeRules game={game} value={value} onChange={onChange} />
      )}
      {value.values.length === 1 && (
        <p class="quiet">
          {t("With one alone nothing is compared: the study tells whether it is fair.")}
        </p>
      )}
    </fieldset>
  );
}

interface ValuesProps {
  option: OptionSpec;
  values: string[];
  onChange: (values: string[]) => void;
}

/** The values of an option: some of its choices, or a list that is typed. */
function Values({ option, values, onChange }: ValuesProps) {
  const [typed, setTyped] = useState(values.join(", "));
  const choices = valuesOf(option);
  if (choices) {
    return (
      <div class="switches" role="group" aria-label={t("Values")}>
        {choices.map((choice) => (
          <Switch
            key={choice}
            isOn={values.includes(choice)}
            onChange={(isOn) =>
              onChange(choices.filter((one) => (one === choice ? isOn : values.includes(one))))
            }
          >
            {said(plain(choice))}
          </Switch>
        ))}
      </div>
    );
  }
  return (
    <TextField
      label={t("Values")}
      value={typed}
      note={[t("separated by commas"), said(option.range ?? "")].filter(Boolean).join("; ")}
      onChange={(value) => {
        setTyped(value);
        onChange(
          value
            .split(",")
            .map((part) => part.trim())
            .filter(Boolean),
        );
      }}
    />
  );
}

/** Chooses among the rules that there are, and makes new ones. */
function WholeRules({ game, value, onChange }: Props) {
  const { own, draft, values } = value;
  const all = [
    { name: USUAL, about: t("the game as it is"), isOwn: false },
    ...game.variants.map(({ name, about }) => ({ name, about: said(about), isOwn: false })),
    ...Object.entries(own).map(([name, { about }]) => ({ name, about, isOwn: true })),
  ];
  const take = (name: string, isOn: boolean) =>
    onChange({
      ...value,
      values: all
        .map((one) => one.name)
        .filter((one) => (one === name ? isOn : values.includes(one))),
    });
  const without = (name: string) => {
    const { [name]: _, ...others } = own;
    return { ...value, own: others, values: values.filter((one) => one !== name) };
  };
  const begin = (name: string, options: OptionValues) =>
    onChange({ ...value, draft: { before: name, name, options } });
  const finish = ({ before, name, options }: Draft) => {
    const kept = before === name ? value : without(before);
    onChange({
      ...kept,
      own: { ...kept.own, [name]: { about: summary(options), options } },
      values: kept.values.includes(name) ? kept.values : [...kept.values, name],
      draft: null,
    });
  };
  const fresh = () => {
    let count = 1;
    while (`mine-${count}` in own) count += 1;
    return `mine-${count}`;
  };
  return (
    <>
      <ul class="list rules-list">
        {all.map(({ name, about, isOwn }) => (
          <li key={name}>
            <div class="line">
              <Switch isOn={values.includes(name)} onChange={(isOn) => take(name, isOn)}>
                {said(plain(name))}
              </Switch>
              {isOwn && (
                <span class="buttons">
                  <button type="button" onClick={() => begin(name, own[name]!.options)}>
                    {t("Change")}
                  </button>
                  <button
                    type="button"
                    class="plain"
                    aria-label={t("Remove {name}", { name })}
                    onClick={() => onChange(without(name))}
                  >
                    ✕
                  </button>
                </span>
              )}
            </div>
            {about && <p class="quiet">{about}</p>}
          </li>
        ))}
      </ul>
      {draft ? (
        <DraftRules
          game={game}
          draft={draft}
          onChange={(draft) => onChange({ ...value, draft })}
          onDone={finish}
          isTaken={(name) => name !== draft.before && all.some((one) => one.name === name)}
        />
      ) : (
        <button type="button" onClick={() => begin(fresh(), {})}>
          {t("Make rules of your own")}
        </button>
      )}
    </>
  );
}

interface DraftProps {
  game: GameSpec;
  draft: Draft;
  onChange: (draft: Draft | null) => void;
  onDone: (draft: Draft) => void;
  isTaken: (name: string) => boolean;
}

/** Rules that are being made. */
function DraftRules({ game, draft, onChange, onDone, isTaken }: DraftProps) {
  const { error, isCurrent } = useSeating(game.name, draft.options);
  const isNamed = /^[\w-]{1,40}$/.test(draft.name) && !isTaken(draft.name);
  const isChanged = Object.keys(draft.options).length > 0;
  return (
    <div class="draft card" role="group" aria-label={t("Rules of your own")}>
      <TextField
        label={t("Name")}
        value={draft.name}
        note={t("letters, digits, - and _")}
        onChange={(name) => onChange({ ...draft, name })}
      />
      <Design
        game={game}
        values={draft.options}
        isOpen
        onChange={(change) => onChange({ ...draft, options: change(draft.options) })}
      />
      {error && <Notice kind="error">{error}</Notice>}
      <div class="buttons">
        <button
          type="button"
          class="primary"
          disabled={!isNamed || !isChanged || !isCurrent || error !== null}
          onClick={() => onDone(draft)}
        >
          {t("Take these rules")}
        </button>
        <button type="button" onClick={() => onChange(null)}>
          {t("Cancel")}
        </button>
      </div>
    </div>
  );
}

function summary(options: OptionValues): string {
  return Object.entries(options)
    .map(([name, value]) => `${name}=${text(value)}`)
    .join(", ");
}
