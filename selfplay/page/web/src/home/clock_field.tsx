import { Switch } from "../ui/controls";
import { t } from "../words";
import { USUAL, type ClockChoice } from "./last_form";

interface Props {
  /** Null for no clock. */
  value: ClockChoice | null;
  onChange: (value: ClockChoice | null) => void;
}

/** The time that people have, if it is limited. */
export function ClockField({ value, onChange }: Props) {
  return (
    <div class="clock-field" role="group" aria-label={t("Clock")}>
      <Switch isOn={value !== null} onChange={(isOn) => onChange(isOn ? USUAL : null)}>
        {t("Clock")}
      </Switch>
      {value && (
        <>
          <Amount
            label={t("Minutes each")}
            value={value.minutes}
            least={0.05}
            onChange={(minutes) => onChange({ ...value, minutes })}
          />
          <Amount
            label={t("Seconds added per ply")}
            value={value.increment}
            least={0}
            onChange={(increment) => onChange({ ...value, increment })}
          />
          <p class="quiet">
            {t("The first ply of each seat takes no time. Agents have no clock.")}
          </p>
        </>
      )}
    </div>
  );
}

interface AmountProps {
  label: string;
  value: string;
  least: number;
  onChange: (value: string) => void;
}

function Amount({ label, value, least, onChange }: AmountProps) {
  return (
    <label>
      {label}
      <input
        type="number"
        inputMode="decimal"
        required
        min={least}
        max={180}
        step="any"
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </label>
  );
}
