export type Keys = Readonly<Record<string, () => void>>;

// On a layout without Latin letters the key in the same position counts.
const CODES = /^(?:Key([A-Z])|Digit(\d)|(Slash))$/;

/**
 * The name of a key that was pressed alone: its letter, or where the layout has none, the letter on that key of a US
 * layout. Undefined in fields, with modifiers, and while an input method composes.
 */
export function keyName(
  {
    key,
    code,
    ctrlKey,
    metaKey,
    altKey,
    isComposing,
  }: Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey' | 'isComposing'>,
  isInField: boolean,
) {
  if (ctrlKey || metaKey || altKey || isComposing || key === 'Process') return undefined;
  if (isInField) return undefined;
  if (key.length > 1 || key.charCodeAt(0) < 0x80) return key;
  const [, letter, digit, slash] = CODES.exec(code) ?? [];
  return letter?.toLowerCase() ?? digit ?? (slash && '/');
}

/** Whether keys are text there. */
export function isField(target: EventTarget | null) {
  if (!(target instanceof HTMLElement)) return false;
  if (
    target.isContentEditable ||
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement
  )
    return true;
  return (
    target instanceof HTMLInputElement &&
    !['checkbox', 'radio', 'button', 'submit', 'file'].includes(target.type)
  );
}
