import { fill, texts } from '../base/texts.js';
import { closeDialog, isAdmin, openDialog } from '../state/actions.js';
import { day } from '../base/format.js';
import { deletePhoto, photosUrl, setCaption } from './photo-actions.js';
import { goBack, navigate } from '../state/router.js';
import { answer } from '../state/store.js';
import { html, nothing } from '../vendor/lit-html/lit-html.js';
import { field, valuesOf } from '../parts/form.js';
import { deleteOrAsk } from '../parts/ask.js';
import { iconButton } from '../parts/parts.js';
import { altOf, photoHref } from './photos.js';
import type { Named, Photo, State } from '../base/types.js';

const common = texts.common;
const words = texts.photos;

const shut = ({ route }: State) => goBack(`/restaurants/${route.params.id}`);

/** The photos of the place that is shown, and which of them is. */
function photosOf({ route: { params } }: State) {
  const photos = answer<readonly Photo[]>(photosUrl(Number(params.id))) ?? [];
  return { photos, at: photos.findIndex(({ id }) => String(id) === params.photo) };
}

const turn = (step: number) => (state: State) => {
  const { photos, at } = photosOf(state);
  const next = photos.at((at + step) % photos.length);
  if (next) navigate(photoHref(next), { replace: true });
};

/** What keys do while one photo is shown. */
export const lightboxKeys: Readonly<Record<string, (state: State) => void>> = {
  ArrowLeft: turn(-1),
  ArrowRight: turn(1),
  Escape: (state) => state.route.params.photo !== undefined && shut(state),
};

/** One photo as large as the window: arrows go round all of them, Escape goes back. Undefined where there is none. */
export function lightbox(state: State, place: Named) {
  const { photos, at } = photosOf(state);
  const photo = photos[at];
  if (!photo) return undefined;
  const { author, created_at: made } = photo;
  const isOurs = isAdmin(state) || (author !== null && author.id === state.session.user?.id);
  // On a control the arrows are its own elsewhere.
  const onKey = (event: KeyboardEvent) => {
    const run = lightboxKeys[event.key];
    if (!run) return;
    event.preventDefault();
    event.stopPropagation();
    run(state);
  };
  const remove = () => {
    shut(state);
    void deletePhoto(photo);
  };
  return html`<section class="lightbox" @keydown=${onKey}>
    <header>
      <h1>${fill(words.title, { at: at + 1, all: photos.length, name: place.name })}</h1>
      ${
        isOurs
          ? html`${iconButton('edit', words.editCaption, () => editCaption(photo), 'plain')}
              <button
                type="button"
                class="button plain"
                @click=${() => deleteOrAsk(state, words.askDelete, remove)}
              >
                ${words.delete}
              </button>`
          : nothing
      }
      ${iconButton('close', common.close, () => shut(state), 'plain')}
    </header>
    <figure>
      <img src=${photo.url} alt=${altOf(photo, place)} width=${photo.width} height=${photo.height} />
      <figcaption>
        ${photo.caption}
        <span class="small soft"
          >${author ? fill(words.by, { name: author.username, day: day(made) }) : day(made)}</span
        >
      </figcaption>
    </figure>
    ${
      photos.length > 1
        ? html`${iconButton('back', words.previous, () => turn(-1)(state), 'back')}
          ${iconButton('next', words.next, () => turn(1)(state), 'next')}`
        : nothing
    }
  </section>`;
}

const editCaption = (photo: Photo) =>
  openDialog({
    label: words.editCaption,
    body: () =>
      html`<h2>${words.editCaption}</h2>
        <form
          @submit=${(event: Event) => {
            void setCaption(photo, valuesOf(event).caption ?? '');
            closeDialog();
          }}
        >
          ${field({ name: 'caption', label: words.caption, max: 255, value: photo.caption ?? '', autofocus: true })}
          <p class="acts end"><button class="button primary">${common.save}</button></p>
        </form>`,
  });
