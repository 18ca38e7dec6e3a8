import { describeTier } from '../tiers/scenario.ts';
import { useQemu10 } from './qemu10-subject.ts';

describeTier("Debian 13's QEMU", useQemu10(), { tier: 'emulated', version: /^10\.0\./, extent: 'full' });
