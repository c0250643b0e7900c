/** A shorter token cannot be told from any other text: taking it out of a reply would only break the reply. */
export const leastTellingLength = 8;
