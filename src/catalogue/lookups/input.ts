import { type Parsed, parsed, readFields, requiredNameField } from '../../kit/input/fields.ts';
import { LOOKUP_ANSWER } from './store.ts';

/** The name of a category or food type, validated. */
export interface LookupInput {
  readonly name: string;
}

/** A body that creates a category or food type. */
export function parseNewLookup(body: object): Parsed<LookupInput> {
  const fields = readFields(body, LOOKUP_ANSWER);
  return parsed(fields, { name: requiredNameField(fields, 'name', 100) });
}

/** A body that changes one; without a name nothing changes. */
export function parseLookupChange(body: object): Parsed<Partial<LookupInput>> {
  const fields = readFields(body, LOOKUP_ANSWER);
  return parsed(fields, fields.values.has('name') ? { name: requiredNameField(fields, 'name', 100) } : {});
}
