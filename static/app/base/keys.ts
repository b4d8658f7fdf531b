/**
 * The name of a key that was pressed alone: its letter, or where the layout has none, the letter on that key of a US
 * layout. Undefined with modifiers, and while an input method composes.
 */
export function keyName({ key, code, ctrlKey, metaKey, altKey, isComposing }: KeyboardEvent) {
  if (ctrlKey || metaKey || altKey || isComposing || key === 'Process') return undefined;
  if (key.length > 1 || key.charCodeAt(0) < 0x80) return key;
  return code === 'Slash' ? '/' : code.replace(/^Key|^Digit/, '').toLowerCase();
}

// Others take no text.
const FIELDS =
  'textarea, select, input:not([type="checkbox"], [type="radio"], [type="submit"], [type="file"])';

/** Whether keys are text there. */
export const isField = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches(FIELDS));
