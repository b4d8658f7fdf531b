import { texts } from '../base/texts.js';
import { readStored, setUi, writeStored } from '../state/store.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import type { AppConfig } from '../base/types.js';
import type { Tiles } from '../map/types.js';

const words = texts.map;

/** Whether the reader of this browser asked for the streets. */
const isOn = () => readStored('streets') === 'on';

function choose(on: boolean) {
  writeStored('streets', on ? 'on' : undefined);
  setUi({});
}

/** The ground of all maps: the streets of another server only where the reader asked for them. */
export function shownTiles({ tiles }: AppConfig): Tiles {
  if (tiles.offer && isOn()) return { kind: 'raster', ...tiles.offer };
  return tiles.kind === 'none' ? { ...tiles, attribution: words.coast } : tiles;
}

/** On a map: leads to its streets, until they are there. */
export const streetsButton = ({ tiles }: AppConfig) =>
  tiles.offer && !isOn()
    ? html`<button type="button" class="button streets" @click=${() => choose(true)}>
        ${words.streets} <small class="soft">${words.streetsFrom}</small>
      </button>`
    : nothing;

/** In Settings: takes the choice back. */
export const streetsPart = (config: AppConfig | undefined) =>
  config?.tiles.offer
    ? html`<div class="box">
        <label class="check"
          ><input
            type="checkbox"
            .checked=${isOn()}
            @change=${() => choose(!isOn())}
          />${words.streets}</label
        >
        <p class="small soft">${words.streetsFrom}</p>
      </div>`
    : nothing;
