/** Gradients that all boards share. They are in the page once, because ids are the page's. */
export function Defs() {
  return (
    <svg class="defs" width="0" height="0" aria-hidden="true" focusable="false">
      <defs>
        <linearGradient id="wood" x1="0" y1="0" x2="1" y2="1">
          <stop offset="0" class="wood-light" />
          <stop offset="1" class="wood-dark" />
        </linearGradient>
        <linearGradient id="frame" x1="0" y1="0" x2="0" y2="1">
          <stop offset="0" class="frame-light" />
          <stop offset="1" class="frame-dark" />
        </linearGradient>
        <radialGradient id="shine" cx=".38" cy=".3" r=".8">
          <stop offset="0" stop-color="#fff" stop-opacity=".5" />
          <stop offset=".55" stop-color="#fff" stop-opacity="0" />
          <stop offset="1" stop-color="#2a1600" stop-opacity=".28" />
        </radialGradient>
      </defs>
    </svg>
  );
}
