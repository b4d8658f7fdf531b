import { writePicture } from './support/modules-picture.ts';

// Draws the picture of the modules in the manual anew.
writePicture();
