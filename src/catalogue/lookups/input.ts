import { bodyParser, requiredNameField } from '../../kit/input/fields.ts';
import { LOOKUP_ANSWER } from './store.ts';

/** A body that creates a category or food type. */
export const parseNewLookup = bodyParser(
  (fields) => ({ name: requiredNameField(fields, 'name', 100) }),
  LOOKUP_ANSWER,
);

/** A body that changes one; without a name nothing changes. */
export const parseLookupChange = bodyParser((fields): { readonly name?: string } => {
  return fields.values.has('name') ? { name: requiredNameField(fields, 'name', 100) } : {};
}, LOOKUP_ANSWER);
