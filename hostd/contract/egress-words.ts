/**
 * The words of a list of egress rules: rules and the word `private`. Words stand between blanks or line ends, so that a list reads the same
 * as lines, as one folded line and as several texts; `#` in front of a word makes the rest of its line a comment. Case does not matter: were
 * `Private` another word, it would read as a host.
 */
export function egressWords(text: string | readonly string[]): string[] {
  const lines = (typeof text === 'string' ? [text] : text).flatMap((part) => part.split(/[\r\n\u0085\u2028\u2029]+/));
  return lines.flatMap((line) => {
    const words = line
      .split(/\s+/)
      .filter((word) => word !== '')
      .map((word) => (word.toLowerCase() === 'private' ? 'private' : word));
    const comment = words.findIndex((word) => word.startsWith('#'));
    return comment === -1 ? words : words.slice(0, comment);
  });
}
