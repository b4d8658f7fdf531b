/** Says that a name is taken, and by which record. */
export function alreadyExistsText(noun: string, of: { readonly id: number; readonly name: string }): string {
  return `${noun} already exists: "${of.name}" (id ${of.id})`;
}
