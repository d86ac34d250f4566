import { useState } from "preact/hooks";
import { message, post } from "../api/client";
import type { GameSpec, OptionSpec, OptionValues } from "../api/types";
import { plain } from "../names";
import { Field } from "../ui/fields";
import { Notice } from "../ui/notices";
import { said, t } from "../words";
import { OptionFields, OptionInput, text, type Changing } from "./option_fields";

interface Props {
  game: GameSpec;
  values: OptionValues;
  onChange: Changing;
  /** Whether it is unfolded although nothing is changed. */
  isOpen?: boolean;
}

interface RulesFile {
  game: string;
  about: string;
  options: OptionValues;
}

/** Other games of the same kind: those that come with the program, one from a file, one's own. */
export function Design({ game, values, onChange, isOpen }: Props) {
  const [error, setError] = useState<string | null>(null);
  const has = (options: OptionValues) =>
    Object.keys(options).length === Object.keys(values).length &&
    Object.entries(options).every(([name, value]) => text(values[name] ?? null) === text(value));
  const current = game.variants.find(({ options }) => has(options));
  const isUsual = Object.keys(values).length === 0;
  const take = (options: OptionValues) => {
    setError(null);
    // As fields and addresses have them.
    const texts = Object.entries(options).map(([name, value]) => [name, text(value)] as const);
    onChange(() => Object.fromEntries(texts));
  };
  const read = async (file: File | undefined) => {
    if (!file) return;
    try {
      const rules = await post<RulesFile>("api/rules", { text: await file.text() });
      if (rules.game === game.name) take(rules.options);
      else setError(t("These are rules of {game}.", { game: plain(rules.game) }));
    } catch (reason) {
      setError(message(reason));
    }
  };
  return (
    <details
      class="design"
      open={isOpen || game.design.some(({ name }) => values[name] !== undefined)}
    >
      <summary>{t("Another game of this kind")}</summary>
      <Field label={t("Variant")} note={current ? said(current.about) : null}>
        <select
          value={current?.name ?? (isUsual ? "" : "own")}
          onChange={({ currentTarget }) =>
            take(game.variants.find(({ name }) => name === currentTarget.value)?.options ?? {})
          }
        >
          <option value="">{t("as usual")}</option>
          {game.variants.map(({ name }) => (
            <option key={name} value={name}>
              {said(plain(name))}
            </option>
          ))}
          {!current && !isUsual && <option value="own">{t("of your own")}</option>}
        </select>
      </Field>
      <Field
        label={t("Rules from a file")}
        note={t("a TOML file, as `darkqi games --variants NAME` writes one")}
      >
        <input
          type="file"
          accept=".toml"
          onChange={({ currentTarget }) => {
            void read(currentTarget.files?.[0]);
            // The same file may be chosen again, changed meanwhile.
            currentTarget.value = "";
          }}
        />
      </Field>
      {error && <Notice kind="error">{error}</Notice>}
      <Kinds game={game} values={values} onChange={onChange} />
      <OptionFields
        specs={game.design.filter(({ name }) => !name.includes("."))}
        values={values}
        onChange={onChange}
      />
    </details>
  );
}

/** The options of each kind of piece: a row for each kind. */
function Kinds({ game, values, onChange }: Props) {
  const byKind = game.design.filter(({ name }) => name.includes("."));
  const part = (name: string, place: number) => name.split(".")[place]!;
  const groups = [...new Set(byKind.map(({ name }) => part(name, 0)))];
  const kinds = [...new Set(byKind.map(({ name }) => part(name, 1)))];
  const of = (group: string, kind: string) =>
    byKind.find(({ name }) => name === `${group}.${kind}`);
  const about = (group: string) =>
    said(byKind.find(({ name }) => part(name, 0) === group)?.about ?? "");
  const set = (spec: OptionSpec, value: string) => {
    onChange(({ [spec.name]: _, ...others }) =>
      value === text(spec.default) ? others : { ...others, [spec.name]: value },
    );
  };
  return (
    <div class="scrolls" tabIndex={0} role="region" aria-label={t("The pieces")}>
      <table class="kinds">
        <thead>
          <tr>
            <td />
            {groups.map((group) => (
              <th key={group} scope="col">
                <abbr title={about(group)}>{said(group)}</abbr>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {kinds.map((kind) => (
            <tr key={kind}>
              <th scope="row">{kind}</th>
              {groups.map((group) => {
                const spec = of(group, kind);
                if (!spec) return <td key={group} />;
                return (
                  <td key={group}>
                    <OptionInput
                      spec={spec}
                      label={`${said(group)} ${kind}`}
                      value={text(values[spec.name] ?? spec.default)}
                      onChange={(value) => set(spec, value)}
                    />
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
      {groups.map((group) => (
        <p key={group} class="quiet">
          {said(group)}: {about(group)}
        </p>
      ))}
    </div>
  );
}
