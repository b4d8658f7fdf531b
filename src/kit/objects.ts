/** The own properties of a JSON object by name, unchecked. */
export type Properties = ReadonlyMap<string, unknown>;

/** The properties of an object; undefined for other values, including arrays. */
export function propertiesOf(value: unknown): Properties | undefined {
  return isObject(value) ? new Map<string, unknown>(Object.entries(value)) : undefined;
}

/** True for objects except arrays. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** These properties of an object, in this order. */
export function pick(
  object: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Readonly<Record<string, unknown>> {
  const picked: Record<string, unknown> = {};
  for (const name of names) picked[name] = object[name];
  return picked;
}

/** Parses JSON; undefined if the text is not valid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Decodes percent-encoded text; undefined if it is not valid UTF-8. */
export function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** The numbers in a JSON array. */
export function numbersIn(json: string): readonly number[] {
  const values: unknown = JSON.parse(json);
  return Array.isArray(values) ? values.filter((value) => typeof value === 'number') : [];
}

/** Copies a typed array into a longer one, and returns that. */
export function copied<Column extends { readonly set: (from: Column) => void }>(
  from: Column,
  to: Column,
): Column {
  to.set(from);
  return to;
}
