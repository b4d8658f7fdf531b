import { fill, texts } from '../base/texts.js';
import { act, faultText, needsUser, revert, setUndo, toast } from '../state/actions.js';
import { forgetDraft, placeDraft } from './place-edit.js';
import { bodyOf, fieldsOf, twinOf } from './fields.js';
import { goBack, navigate } from '../state/router.js';
import { setDraft, setUi, state } from '../state/store.js';
import { faultsOf, focusFault } from '../parts/form.js';
import type { Purpose, Values } from './fields.js';
import type { Fault } from '../base/types.js';

const words = texts.add;

/** The request that each form sends. */
const request = (purpose: Purpose, id: number | undefined) =>
  ({
    add: { method: 'POST', path: '/restaurants' },
    suggest: { method: 'POST', path: '/suggestions' },
    edit: { method: 'PUT', path: `/restaurants/${id}` },
    convert: { method: 'POST', path: `/suggestions/${id}/convert` },
  })[purpose];

/** A form that is being sent. `status`: that of the suggestion before. */
export interface Job {
  purpose: Purpose;
  draft: string;
  id?: number | undefined;
  status?: string;
  name: string;
  body: Values;
}

const send = needsUser('place', async (job: Job) => {
  const { purpose, draft, id, name, body } = job;
  if (state.ui.placeSending) return;
  setUi({ placeSending: true });
  const before = placeDraft(draft);
  const outcome = await act({
    ...request(purpose, id),
    body,
    quiet: true,
    noUndo: true,
    ...(purpose !== 'convert' && { label: fill(words.said[purpose], { name }) }),
  });
  setUi({ placeSending: false });
  if (!outcome.ok) {
    const { status, message } = outcome.fault;
    const twin = twinOf(message);
    const faults =
      status === 400
        ? fieldFaults(purpose, outcome.fault)
        : { '': twin ? fill(words.exists, { name: twin.name }) : faultText(outcome.fault) };
    setUi({ placeFaults: faults, placeTwin: twin });
    return focusFault();
  }
  const { change, queued } = outcome;
  forgetDraft(draft);
  leave(job, queued ? undefined : outcome.body?.id);
  if (queued || change === null) return;
  const undo = async () => {
    if (purpose === 'add' || purpose === 'suggest') {
      setDraft(draft, before);
      navigate('/add', { replace: true });
    }
    await revert(change);
  };
  setUndo(undo);
  toast({ text: fill(words.said[purpose], { name }), undo });
});

/** The faults of the fields, which call them by their labels. Both halves of a position have one control. */
function fieldFaults(purpose: Purpose, fault: Fault) {
  const faults = faultsOf(
    { ...fault, message: fault.message.replaceAll('longitude', 'latitude') },
    fieldsOf(purpose).map(({ name }) => name),
  );
  for (const [name, text] of Object.entries(faults)) {
    const label = (words.fields as Record<string, string>)[name];
    if (label) faults[name] = text.replaceAll(new RegExp(`\\b${name}\\b`, 'g'), label);
  }
  return faults;
}

/** @param newId unknown while it waits to be sent */
function leave({ purpose, id, status }: Pick<Job, 'purpose' | 'id' | 'status'>, newId?: number) {
  if (purpose === 'edit') return goBack(`/restaurants/${id}`);
  if (purpose === 'convert') return navigate(`/suggestions?status=${status}`, { replace: true });
  if (newId === undefined) return navigate('/', { replace: true });
  navigate(purpose === 'add' ? `/restaurants/${newId}` : `/suggestions?sel=${newId}`, { replace: true });
}

/** Sends a form, or leaves it where nothing was changed. */
export function submitPlace(purpose: Purpose, draft: string, values: Values, before: Values = {}) {
  const { id, status } = before;
  const body = bodyOf(purpose, values, before);
  const isPlace = !values.position?.trim() || typeof values.latitude === 'number';
  setUi({ placeFaults: isPlace ? {} : { latitude: words.notPosition }, placeTwin: undefined });
  if (!isPlace) return focusFault();
  if (purpose === 'edit' && Object.keys(body).length === 0) {
    forgetDraft(draft);
    return leave({ purpose, id });
  }
  send({ purpose, draft, id, status, name: String(values.name ?? ''), body });
}
