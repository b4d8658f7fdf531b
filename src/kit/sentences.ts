/** The sentence for a name that is taken, with the record that has it. */
export function alreadyExistsText(noun: string, of: { readonly id: number; readonly name: string }): string {
  return `${noun} already exists: "${of.name}" (id ${of.id})`;
}
