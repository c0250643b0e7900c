/** What can be read about besides the commands. */
export const helpTopics = [
  { name: 'options', about: 'the options that every command takes' },
  { name: 'exit-codes', about: 'what every exit code means, and what to do' },
  { name: 'reruns', about: 'what running the same command again does' },
  { name: 'agents', about: 'how a program uses botctl safely' },
  { name: 'environment', about: 'every variable that botctl reads' },
] as const;

export type TopicName = (typeof helpTopics)[number]['name'];
