import { act, faultText, needsUser, revert, setUndo, toast } from './actions.js';
import { forgetDraft, placeDraft } from './place-edit.js';
import { bodyOf, fieldsOf, twinOf } from './place-fields.js';
import { goBack, navigate } from './router.js';
import { setDraft, setUi, state } from './store.js';
import { words } from './texts/add.js';
import { faultsOf, focusFault } from './ui/form.js';

/** @import { Purpose, Values } from './place-fields.js' */
/** @import { Fault } from './types.js' */

const TOUCHED = ['/restaurants', '/search', '/suggestions', '/changes'];

/**
 * The request that each form sends.
 * @param {Purpose} purpose
 * @param {number | undefined} id
 */
const request = (purpose, id) =>
  ({
    add: { method: 'POST', path: '/restaurants' },
    suggest: { method: 'POST', path: '/suggestions' },
    edit: { method: 'PUT', path: `/restaurants/${id}` },
    convert: { method: 'POST', path: `/suggestions/${id}/convert` },
  })[purpose];

/**
 * A form that is being sent. `status`: that of the suggestion before.
 * @typedef {{ purpose: Purpose, draft: string, id?: number | undefined, status?: string, name: string, body: Values }} Job
 */

const send = needsUser('place', async (/** @type {Job} */ job) => {
  const { purpose, draft, id, name, body } = job;
  if (state.ui.placeSending) return;
  setUi({ placeSending: true });
  const before = placeDraft(draft);
  const outcome = await act({
    ...request(purpose, id),
    body,
    quiet: true,
    noUndo: true,
    touches: TOUCHED,
    ...(purpose !== 'convert' && { label: words.said[purpose](name) }),
  });
  setUi({ placeSending: false });
  if (!outcome.ok) {
    const { status, message } = outcome.fault;
    const twin = twinOf(message);
    const faults =
      status === 400
        ? fieldFaults(purpose, outcome.fault)
        : { '': twin ? words.exists(twin.name) : faultText(outcome.fault) };
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
    await revert(change, TOUCHED);
  };
  setUndo(undo);
  toast({ text: words.said[purpose](name), undo });
});

/**
 * The faults of the fields, which call them by their labels. Both halves of a position have one control.
 * @param {Purpose} purpose
 * @param {Fault} fault
 */
function fieldFaults(purpose, fault) {
  const faults = faultsOf(
    { ...fault, message: fault.message.replaceAll('longitude', 'latitude') },
    fieldsOf(purpose).map(({ name }) => name),
  );
  for (const [name, text] of Object.entries(faults)) {
    const label = /** @type {Record<string, string>} */ (words.fields)[name];
    if (label) faults[name] = text.replaceAll(new RegExp(`\\b${name}\\b`, 'g'), label);
  }
  return faults;
}

/**
 * @param {Pick<Job, 'purpose' | 'id' | 'status'>} job
 * @param {number} [newId] unknown while it waits to be sent
 */
function leave({ purpose, id, status }, newId) {
  if (purpose === 'edit') return goBack(`/restaurants/${id}`);
  if (purpose === 'convert') return navigate(`/suggestions?status=${status}`, { replace: true });
  if (newId === undefined) return navigate('/', { replace: true });
  navigate(purpose === 'add' ? `/restaurants/${newId}` : `/suggestions?sel=${newId}`, { replace: true });
}

/**
 * Sends a form, or leaves it where nothing was changed.
 * @param {Purpose} purpose
 * @param {string} draft
 * @param {Values} values
 * @param {Values} [before]
 */
export function submitPlace(purpose, draft, values, before = {}) {
  const { id, status } = before;
  const body = bodyOf(purpose, values, before);
  const isPlace = !values['position']?.trim() || typeof values['latitude'] === 'number';
  setUi({ placeFaults: isPlace ? {} : { latitude: words.notPosition }, placeTwin: undefined });
  if (!isPlace) return focusFault();
  if (purpose === 'edit' && Object.keys(body).length === 0) {
    forgetDraft(draft);
    return leave({ purpose, id });
  }
  send({ purpose, draft, id, status, name: String(values['name'] ?? ''), body });
}
