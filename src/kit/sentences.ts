/** Says that a name is taken, and by which record. */
export function alreadyExistsText(noun: string, of: { readonly id: number; readonly name: string }): string {
  return `${noun} already exists: "${of.name}" (id ${of.id})`;
}

/** A number of things: `1 photo`, `2 photos`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
