import { bodyParser, integerField, requiredNameField, textField } from '../../kit/input/fields.ts';
import { choicesParameter, queryParser } from '../../kit/input/query.ts';
import type { ItemChange } from './items.ts';
import { ITEM_ANSWER, LIST_ANSWER, type ListRecord } from './record.ts';

export const LIST_NAME_MAX = 100;
const DESCRIPTION_MAX = 1_000;
export const NOTE_MAX = 1_000;

/** The fields of a list that its owner sets. */
export type NewList = Pick<ListRecord, 'name' | 'description'>;

export const parseNewList = bodyParser(
  (fields): NewList => ({
    name: requiredNameField(fields, 'name', LIST_NAME_MAX),
    description: textField(fields, 'description', DESCRIPTION_MAX),
  }),
  LIST_ANSWER,
);

/** The query of one list: what to add to it. */
export const parseListIncludes = queryParser((query) => choicesParameter(query, 'include', ['items']) ?? []);

/** A body that changes a list: the result has only the fields that were sent. */
export const parseListChange = bodyParser((fields): Partial<NewList> => {
  const { values } = fields;
  return {
    ...(values.has('name') && { name: requiredNameField(fields, 'name', LIST_NAME_MAX) }),
    ...(values.has('description') && { description: textField(fields, 'description', DESCRIPTION_MAX) }),
  };
}, LIST_ANSWER);

/** A body that adds an item to a list or changes it; a null note clears it, and a null position counts as none. */
export const parseItemChange = bodyParser((fields): ItemChange => {
  const position = integerField(fields, 'position', 1, Number.MAX_SAFE_INTEGER);
  return {
    ...(position !== null && { position }),
    ...(fields.values.has('note') && { note: textField(fields, 'note', NOTE_MAX) }),
  };
}, ITEM_ANSWER);
