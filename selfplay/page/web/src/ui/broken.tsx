import { Component, type ComponentChildren } from "preact";
import { message } from "../api/client";
import { lasting, passing } from "../stored";
import { t } from "../words";
import { Notice } from "./notices";

const PREFIX = "darkqi.";

/** Forgets what the page keeps in the browser, and begins anew. */
function beginAnew(): void {
  for (const store of [lasting, passing]) {
    const names = store ? Object.keys(store) : [];
    for (const name of names) if (name.startsWith(PREFIX)) store?.removeItem(name);
  }
  location.hash = "";
  location.reload();
}

interface Props {
  children: ComponentChildren;
}

/** Says what has gone wrong where a fault of the page would leave it white. */
export class Broken extends Component<Props, { error: unknown }> {
  override state: { error: unknown } = { error: null };

  static override getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render({ children }: Props, { error }: { error: unknown }) {
    if (error === null) return children;
    return (
      <main class="page narrow">
        <Notice kind="error">
          {t("The page has failed: {reason}", { reason: message(error) })}
        </Notice>
        <p>
          {t("It may help to forget the settings and the list of games that this browser keeps.")}
        </p>
        <p class="buttons">
          <button type="button" onClick={() => location.reload()}>
            {t("Try again")}
          </button>
          <button type="button" onClick={beginAnew}>
            {t("Forget them and begin anew")}
          </button>
        </p>
      </main>
    );
  }
}
