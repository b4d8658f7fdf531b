import { fill, texts } from '../base/texts.js';
import { act, closeDialog, openDialog } from '../state/actions.js';
import { navigate } from '../state/router.js';
import { setUi } from '../state/store.js';
import { html } from '../vendor/lit-html/lit-html.js';
import { faultsOf, field, focusFault, formFault, valuesOf } from '../parts/form.js';
import type { List } from '../base/types.js';

const common = texts.common;
const words = texts.lists;

/** Opens the name and description of a list, or of a new one. */
export function openListForm(list?: List) {
  const values = { name: list?.name ?? '', description: list?.description ?? '' };
  const label = list ? common.edit : words.add;
  setUi({ faults: {} });
  openDialog({
    label,
    body: ({ ui: { faults = {} } }) => html`
      <h2>${label}</h2>
      <form novalidate @submit=${(event: Event) => save(event, list)}>
        ${formFault(faults)}
        ${field({ name: 'name', label: words.name, value: values.name, required: true, max: 100, autofocus: true, onInput: (text) => (values.name = text) }, faults)}
        ${field({ name: 'description', label: words.description, value: values.description, type: 'area', max: 1000, onInput: (text) => (values.description = text) }, faults)}
        <div class="acts end">
          <button type="button" class="button" @click=${closeDialog}>${common.cancel}</button>
          <button class="button primary">${list ? common.save : words.create}</button>
        </div>
      </form>
    `,
  });
}

async function save(event: Event, list: List | undefined) {
  const { name = '', description = '' } = valuesOf(event);
  const outcome = await act({
    method: list ? 'PUT' : 'POST',
    path: list ? `/lists/${list.id}` : '/lists',
    body: { name, description: description === '' ? null : description },
    said: fill(list ? words.changed : words.created, { name }),
    quiet: true,
  });
  if (!outcome.ok) {
    // That a list is there already is said of its name.
    const { status, message } = outcome.fault;
    setUi({ faults: status === 409 ? { name: message } : faultsOf(outcome.fault, ['name', 'description']) });
    return focusFault();
  }
  closeDialog();
  const made: unknown = outcome.body;
  if (!list && typeof made === 'object' && made && 'id' in made) navigate(`/lists/${String(made.id)}`);
}
