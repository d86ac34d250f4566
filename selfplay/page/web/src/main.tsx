import { render } from "preact";
import { App } from "./app";
import { apply } from "./settings";
import { Broken } from "./ui/broken";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/board.css";
import "./styles/play.css";
import "./styles/home.css";
import "./styles/edit.css";
import "./styles/review.css";
import "./styles/data.css";
import "./styles/viewer.css";
import "./styles/learn.css";
import "./styles/study.css";
import "./styles/small.css";

apply();
render(
  <Broken>
    <App />
  </Broken>,
  document.getElementById("page")!,
);
