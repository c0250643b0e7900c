import { Told } from './told.ts';

export function unreadableCertificate(path: string, problem: string): Told {
  return new Told('journal-unusable', `${path}, which the connection to the journal needs, ${problem}`, {
    hint: 'Check sslrootcert, sslcert and sslkey in the URL, or PGSSLROOTCERT, PGSSLCERT and PGSSLKEY.',
  });
}

export const certificateProblems = {
  unreadable: (trouble: string) => `cannot be read: ${trouble}`,
  notPem: { certificate: 'holds no certificate in PEM', key: 'holds no private key in PEM' },
  openToOthers: 'is a private key that other users can read',
} as const;

/** The server asks for one. */
export function passwordMissing(place: string): Told {
  return new Told('journal-unusable', `The server of the journal ${place} asks for a password`, {
    hint: 'Put it into PGPASSWORD, into ~/.pgpass (readable by you alone), or into the URL in BOTCTL_JOURNAL.',
  });
}
