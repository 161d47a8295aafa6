package com.acme.lab.routers;

/** What the chains are chains of. Its methods are named in the cases. */
interface Service {}
