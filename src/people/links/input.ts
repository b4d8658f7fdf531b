import { bodyParser, booleanField, requiredChoiceField, textField } from '../../kit/input/fields.ts';
import { parseInstant } from '../../kit/time.ts';

const TIME_MAX = 40;

/** What a link is made of. */
export interface NewLink {
  readonly access: 'read' | 'join';
  /** Whether a link to read shows the notes of the items. */
  readonly notes: boolean;
  /** Null: it works until it is removed. */
  readonly expires_at: string | null;
}

export const parseNewLink = bodyParser((fields): NewLink => {
  const access = requiredChoiceField(fields, 'access', ['read', 'join']);
  const notes = fields.values.has('notes') && booleanField(fields, 'notes');
  const time = textField(fields, 'expires_at', TIME_MAX);
  const end = time === null ? undefined : (parseInstant(time) ?? 0);
  if (end !== undefined && end <= Date.now())
    fields.faults.push('expires_at must be a time in the future with its offset');
  return { access, notes, expires_at: end === undefined ? null : new Date(end).toISOString() };
});
