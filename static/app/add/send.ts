import { fill, texts } from '../base/texts.js';
import { act, faultText, needsUser, revert, setUndo, toast } from '../state/actions.js';
import { forgetDraft, placeDraft, setForm } from './draft.js';
import { bodyOf, fieldsOf, positionOf } from './fields.js';
import { goBack, navigate } from '../state/router.js';
import { setDraft, state } from '../state/store.js';
import { faultsOf, focusFault } from '../parts/form.js';
import type { Purpose, Values } from './fields.js';
import type { Fault } from '../base/types.js';

const words = texts.add;
const labels: Readonly<Record<string, string>> = words.fields;

/**
 * A form. `draft`: the name of what was typed; `before`: the place that it changes;
 * `values`: what stands in it; `home`: where Cancel leads.
 */
export interface Filled {
  readonly purpose: Purpose;
  readonly draft: string;
  readonly before: Values;
  readonly values: Values;
  readonly home?: string;
}

const request = ({ purpose, before }: Filled) =>
  ({
    add: { method: 'POST', path: '/restaurants' },
    suggest: { method: 'POST', path: '/suggestions' },
    edit: { method: 'PUT', path: `/restaurants/${before.id}` },
    convert: { method: 'POST', path: `/suggestions/${before.id}/convert` },
  })[purpose];

const isMade = (body: unknown): body is { id: number } =>
  typeof body === 'object' && body !== null && 'id' in body;

/** @param made the id of what came of it; unknown while it waits to be sent */
function leave({ purpose, draft, before }: Filled, made?: number) {
  forgetDraft(draft);
  if (purpose === 'edit') return goBack(`/restaurants/${before.id}`);
  const place = purpose === 'add' ? `/restaurants/${made}` : `/suggestions?sel=${made}`;
  const home = made === undefined ? '/' : place;
  navigate(purpose === 'convert' ? `/suggestions?status=${before.status}` : home, { replace: true });
}

/** Sends a form, or leaves it where nothing was changed. */
export const submitPlace = needsUser('place', (form: Filled) => void submit(form));

async function submit(form: Filled) {
  const { purpose, draft, before, values } = form;
  if (state.ui.place?.isSending) return;
  if (values.position?.trim() && positionOf(values.position).lat === undefined)
    return refuse({ position: words.notPosition });
  const body = bodyOf(purpose, values, before);
  if (purpose === 'edit' && Object.keys(body).length === 0) return leave(form);
  const typed = placeDraft(draft);
  const said = fill(words.said[purpose], { name: values.name ?? '' });
  setForm({ isSending: true, faults: {} });
  const outcome = await act<{ id?: number } | undefined>({
    ...request(form),
    body,
    quiet: true,
    noUndo: true,
    ...(purpose !== 'convert' && { label: said }),
  });
  setForm({ isSending: false });
  if (!outcome.ok) return refuse(faultsIn(purpose, outcome.fault));
  const made: unknown = outcome.queued ? undefined : outcome.body;
  leave(form, isMade(made) ? made.id : undefined);
  const { change } = outcome;
  if (change === null) return;
  const undo = () => {
    if (before.id === undefined) {
      setDraft(draft, typed);
      navigate('/add', { replace: true });
    }
    void revert(change);
  };
  setUndo(undo);
  toast({ text: said, undo });
}

/** Shows what is wrong, also with fields that are folded away. */
function refuse(faults: Readonly<Record<string, string>>) {
  setForm({ faults });
  if (!('' in faults)) document.querySelector('.place-form details')?.setAttribute('open', '');
  focusFault();
}

/** The faults of the fields, which call them by their labels. Both halves of a position have one field. */
function faultsIn(purpose: Purpose, fault: Fault) {
  if (fault.status !== 400) return { '': faultText(fault) };
  const message = fault.message.replaceAll(/\b(?:latitude|longitude)\b/g, 'position');
  const names = fieldsOf(purpose).map(({ name }) => name);
  const faults = Object.entries(faultsOf({ ...fault, message }, names));
  return Object.fromEntries(
    faults.map(([name, text]) => [
      name,
      text.replaceAll(new RegExp(`\\b${name}\\b`, 'g'), labels[name] ?? name),
    ]),
  );
}
