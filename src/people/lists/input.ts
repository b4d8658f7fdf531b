import {
  type Parsed,
  integerField,
  parsed,
  readFields,
  requiredNameField,
  textField,
} from '../../kit/input/fields.ts';
import { type ListPart, listPart, readQuery } from '../../kit/input/query.ts';
import type { ItemChange } from './items.ts';
import { ITEM_ANSWER, LIST_ANSWER, type ListRecord } from './record.ts';

/** The most characters of the name of a list. */
export const NAME_MAX = 100;
const DESCRIPTION_MAX = 1_000;
const NOTE_MAX = 1_000;

/** The fields of a list that its owner sets. */
export type NewList = Pick<ListRecord, 'name' | 'description'>;

/** A body that creates a list. */
export function parseNewList(body: object): Parsed<NewList> {
  const fields = readFields(body, LIST_ANSWER);
  return parsed(fields, {
    name: requiredNameField(fields, 'name', NAME_MAX),
    description: textField(fields, 'description', DESCRIPTION_MAX),
  });
}

/** A body that changes a list: the result has only the fields that were sent. */
export function parseListChange(body: object): Parsed<Partial<NewList>> {
  const fields = readFields(body, LIST_ANSWER);
  const { values } = fields;
  return parsed(fields, {
    ...(values.has('name') && { name: requiredNameField(fields, 'name', NAME_MAX) }),
    ...(values.has('description') && { description: textField(fields, 'description', DESCRIPTION_MAX) }),
  });
}

/** A body that adds an item to a list or changes it; a null note clears it, and a null position counts as none. */
export function parseItemChange(body: object): Parsed<ItemChange> {
  const fields = readFields(body, ITEM_ANSWER);
  const position = integerField(fields, 'position', 1, Number.MAX_SAFE_INTEGER);
  return parsed(fields, {
    ...(position !== null && { position }),
    ...(fields.values.has('note') && { note: textField(fields, 'note', NOTE_MAX) }),
  });
}

/** The query of a list's items. */
export function parseItemsQuery(queryString: string): Parsed<ListPart> {
  const query = readQuery(queryString);
  return parsed(query, listPart(query));
}
