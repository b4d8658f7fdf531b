/** The sentence for something that is there already, which is named. */
export function alreadyExistsText(noun: string, of: { readonly id: number; readonly name: string }): string {
  return `${noun} already exists: "${of.name}" (id ${of.id})`;
}
